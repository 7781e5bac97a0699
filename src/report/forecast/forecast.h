// A forecast for people and for programs: the headroom sheet, what scenarios do to it, and when
// which resource runs out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/levers.h"
#include "forecast/runway/actuals.h"
#include "forecast/runway/loss_plan.h"
#include "forecast/runway/reserve_plan.h"
#include "forecast/runway/sheet.h"
#include "report/answer/decision.h"
#include "report/run/terminal.h"

namespace plimsoll {

struct ForecastReport {
  ForecastRequest request;
  HeadroomSheet headroom;
  std::vector<LeverResult> levers;         ///< the best first; empty: not looked for
  std::optional<DemandHistory> history;    ///< behind the runway
  std::vector<DemandOutlook> outlooks;     ///< of what the history has
  std::vector<RouteOutlook> routes_ahead;  ///< as far as the sheet follows it
  std::optional<RunwaySheet> runway;       ///< none without a history
  std::vector<LossPlan> losses;            ///< that the request asks about
  std::optional<ReservePlan> reserve;      ///< that the request asks about
  std::optional<Actuals> actuals;          ///< none without --actuals
  double gpus = 0;                         ///< that are deployed
  std::int64_t instances = 0;              ///< on these
  double usd_per_month = 0;                ///< of them; 0 without a price
  Because<Remedy> longer_requests{Remedy::any_larger_window};  ///< than the deployment takes
  bool splits = false;                  ///< prefill and decode are apart, and both count a request
  std::vector<std::string> deployment;  ///< "qwen3-14b", "16 x H100"; empty without one
  std::string command;                  ///< that repeats it

  const std::string& name() const { return request.name.empty() ? request.file : request.name; }
};

Decision decision_of(const ForecastReport& report);
/// The decision as a text.
std::string forecast_verdict(const ForecastReport& report);
/// All of it, or the body of its page (Style::markup).
std::string forecast_text(const ForecastReport& report, const Style& style);
std::string forecast_json(const ForecastReport& report);

/// Something is asked for that is not there, or the peak is not held.
bool is_short(const ForecastReport& report);

}  // namespace plimsoll
