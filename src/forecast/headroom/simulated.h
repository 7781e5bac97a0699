// The simulations of a forecast: its baseline, the forecast itself, each scenario, and the
// load lines of prompts and answers that grow alone. Put beside what is given by
// forecast/headroom/headroom.h.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/situation.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// As failovers() lists them; none: not simulated.
struct FailoverLines {
  std::optional<Line> whole;
  std::optional<Line> partial;
};

struct Simulated {
  Situation baseline;
  Situation forecast;
  std::vector<Situation> scenarios;  ///< in the request's order
  std::optional<Line> prompts;       ///< none where all prompts are cached, or nothing is deployed
  std::optional<Line> answers;
  std::vector<FailoverLines> failovers;

  /// Whether baseline and forecast were simulated to their end.
  bool is_sheet_whole() const;
};

/// Without a deployment only the flows of each situation.
Result<Simulated> simulate_forecast(const ForecastRequest& request,
                                    const std::optional<Served>& served,
                                    const Execution& execution);

}  // namespace plimsoll
