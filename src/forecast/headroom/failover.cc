#include "forecast/headroom/failover.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

constexpr double kLeastTaken = 0.01;  // if that is not taken, nothing is

/// By arithmetic: how many times what comes is held.
Result<double> guessed_hold(const Served& served, const std::vector<Flow>& flows,
                            const TokenLoadOptions& options) {
  TRY(estimate, estimate_of(served, token_load(flows, LoadGrowth::rate, options)));
  return estimate.rate_rps * served.instances() / served_rate(flows);
}

}  // namespace

std::vector<Failover> failovers(const std::vector<Route>& routes) {
  std::vector<Failover> all;
  for (const Route& route : routes) {
    if (route.fallback_to.empty() || route.requests_per_s <= 0) continue;
    const auto to = std::ranges::find(routes, route.fallback_to, &Route::name);
    all.push_back({route.name, to->name, route.requests_per_s, !to->from_provider});
  }
  return all;
}

std::vector<Flow> flows_after(const Failover& failover, double share,
                              const std::vector<Route>& routes) {
  Change change;
  change.routes = {failover.route};
  change.shift = Shift{failover.to, share};
  return flows_of(changed(routes, {change}));
}

Result<Line> find_share_line(const Served& served, const TokenLoadOptions& options,
                             const FlowsByShare& flows_at, double now_held,
                             const LineEffort& line_effort, const Execution& execution) {
  // What arithmetic says of the forecast is known to be off by so much.
  TRY(guessed_now, guessed_hold(served, flows_at(0), options));
  RateSearchOptions search;
  double low = kLeastTaken;
  double high = 1;
  for (double share = high; high > low * search.first_step; share = std::sqrt(low * high)) {
    TRY(guessed, guessed_hold(served, flows_at(share), options));
    (guessed / guessed_now * now_held >= 1 ? low : high) = share;
  }
  search.guess = low;
  search.lowest = kLeastTaken;
  search.highest = 1;
  const LoadMaker load = [&](double share, std::int64_t requests) {
    const std::vector<Flow> flows = flows_at(share);
    return token_load(flows, LoadGrowth::rate, options)(served_rate(flows), requests);
  };
  TRY(estimate, estimate_of(served, load));
  return search_line(served, load, search, 1, estimate, line_effort, execution);
}

}  // namespace plimsoll
