// What could be changed about a deployment, each change simulated: how much more of the forecast it
// holds, what that costs, and which pressure it creates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/forecast_request.h"
#include "forecast/headroom.h"
#include "forecast/supply.h"

namespace plimsoll {

/// A change by flags of `plimsoll run`.
struct Lever {
  std::string name;
  std::vector<std::string> flags;
};

/// A figure that became worse.
struct Pressure {
  std::string what;  ///< "TPOT p99 ms"
  double before = 0;
  double after = 0;
};

struct LeverResult {
  Lever lever;
  Line line;        ///< of the forecast
  double more = 0;  ///< of the forecast that is held, in forecasts: 0.25 = a quarter more
  double gpus = 0;
  std::optional<double> usd_per_month;  ///< more than now
  std::vector<Pressure> worse;
};

/// Something that levers can change is used by more than 80 %: the deployment as a whole, GPUs, or
/// money. The sheet has a simulated forecast.
bool is_tight(const HeadroomSheet& headroom);

/// Those that apply to the deployment: more instances, TP instead of instances, other batches and
/// chunks, routing by prefix where there are any, an 8-bit KV cache, cheaper GPUs. A limit on what
/// is admitted needs no simulation: try_levers() adds it where not all is held.
std::vector<Lever> levers_for(const ForecastRequest& request, const Served& served);

/// By what a dollar gains: first those that cost nothing more and gain, then by headroom per
/// dollar, then those that gain nothing. A lever that cannot be deployed, or then holds none
/// of the requests, is left out.
Result<std::vector<LeverResult>> try_levers(const ForecastRequest& request, const Served& served,
                                            const HeadroomSheet& headroom, const Serve& serve,
                                            const Execution& execution);

}  // namespace plimsoll
