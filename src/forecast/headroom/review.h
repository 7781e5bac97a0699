// The questions of a capacity review that are neither rows of a sheet nor scenarios: how many
// retries, how much of a fallback, and a cold cache. Called by forecast/headroom/headroom.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/figures.h"
#include "forecast/headroom/sheet.h"
#include "forecast/headroom/simulated.h"
#include "forecast/headroom/supply.h"

namespace plimsoll {

/// A route that fails, and the one that its requests fall back to; and of that or of any other
/// change that comes by and by, how much is held before a limit breaks.
struct Failover {
  std::string route;  ///< that fails
  std::string to;
  double requests_per_s = 0;      ///< of that route, at the forecast's peak
  bool loads_deployment = false;  ///< the other route is answered by it
};

/// One for each route that has another to fall back to, and sends something.
std::vector<Failover> failovers(const std::vector<Route>& routes);

/// How much of a failing route is answered: nothing, or all but what goes to the other one, as
/// before.
enum class FailureKind { whole, partial };

/// The flows that the routes send while a share of the requests of the failing one goes to the
/// other.
std::vector<Flow> flows_after(const Failover& failover, FailureKind kind, double share,
                              const std::vector<Route>& routes);

/// The flows that come when a change has come to a share of its own, in [0, 1].
using FlowsByShare = std::function<std::vector<Flow>(double share)>;

/// The line's factor is the share up to which the deployment holds the flows, 1 at most.
/// `now_held`: how many times it holds the flows of `now`.
Result<Line> find_share_line(const Served& served, const TokenLoadOptions& options,
                             const FlowsByShare& flows_at, const std::vector<Flow>& now,
                             double now_held, const LineEffort& line_effort,
                             const Execution& execution);

/// Answers by simulation what the deployment takes, by arithmetic what is given: the less of both.
ReviewAnswers review_answers(const ForecastRequest& request, const Simulated& simulated,
                             const FigureMaker& figures);

}  // namespace plimsoll
