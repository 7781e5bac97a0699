#include "forecast/headroom/servable.h"

#include <algorithm>
#include <map>

namespace plimsoll {
namespace {

struct Counted {
  std::int64_t all = 0;
  std::int64_t servable = 0;

  double share() const {
    return all == 0 ? 1 : static_cast<double>(servable) / static_cast<double>(all);
  }
};

// By flow, of those that the deployment answers; an engine refuses by the budget of the client.
std::vector<Counted> count_servable(const std::vector<Flow>& flows, const LoadProbe& probe,
                                    double context_tokens, const TokenLoadOptions& options) {
  std::vector<Counted> counts(flows.size());
  const auto load = token_load(flows, LoadGrowth::rate, options)(probe.rate_rps, probe.requests);
  if (!load) return counts;
  Request request;
  while (load->source->next(&request)) {
    const double answer = std::max({request.output_tokens, request.max_output_tokens, 1});
    Counted& counted = counts[static_cast<std::size_t>(request.tags.client)];
    counted.all += 1;
    counted.servable += request.input_tokens + answer <= context_tokens ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::vector<RouteServable> too_long_by_route(const std::vector<Flow>& flows, const Served& served,
                                             const LoadProbe& peak,
                                             const TokenLoadOptions& options) {
  if (peak.summary.cluster.dropped_unservable == 0) return {};
  const std::vector<Counted> counts =
      count_servable(served_flows(flows), peak, served.context_tokens(), options);
  struct Attempts {
    double all = 0;
    double servable = 0;
  };
  std::map<std::string, Attempts> by_route;
  auto counted = counts.begin();
  for (const Flow& flow : flows) {
    const double share = flow.from_provider ? 1 : (counted++)->share();
    Attempts& attempts = by_route[flow.origin];
    attempts.all += flow.requests_per_s;
    attempts.servable += flow.requests_per_s * share;
  }
  std::vector<RouteServable> routes;
  for (const auto& [route, attempts] : by_route) {
    if (attempts.servable < attempts.all)
      routes.push_back({route, attempts.servable / attempts.all});
  }
  return routes;
}

double servable_share(const std::vector<RouteServable>& routes, const std::string& route) {
  const auto found = std::ranges::find(routes, route, &RouteServable::route);
  return found == routes.end() ? 1 : found->share;
}

}  // namespace plimsoll
