#include "forecast/demand/route.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr double kSecondsPerMinute = 60;

Flow flow_of(const Route& route, const Route& origin, double requests_per_s) {
  return {route.name,         origin.name,         requests_per_s,      route.prompt_tokens,
          route.cached_share, route.output_tokens, route.from_provider, route.residence_s,
          route.prompt_cv,    route.output_cv};
}

}  // namespace

std::vector<Flow> flows_of(const std::vector<Route>& routes) {
  std::vector<Flow> flows;
  for (const Route& route : routes) {
    const double attempts = route.requests_per_s * (1 + route.retry_share);
    if (attempts <= 0) continue;
    flows.push_back(flow_of(route, route, attempts));
    if (route.fallback_share <= 0) continue;
    const auto other = std::ranges::find(routes, route.fallback_to, &Route::name);
    Flow fallen = flow_of(*other, route, attempts * route.fallback_share);
    fallen.prompt_tokens = route.prompt_tokens;
    fallen.prompt_cv = route.prompt_cv;
    fallen.cached_share = 0;
    flows.push_back(fallen);
  }
  return flows;
}

double held_per_second(const std::vector<Flow>& flows) {
  double sum = 0;
  for (const Flow& flow : flows) {
    if (!flow.from_provider) {
      sum += flow.requests_per_s * (flow.prompt_tokens + flow.output_tokens / 2);
    }
  }
  return sum;
}

ResourceVector demand_of(const std::vector<Flow>& flows) {
  ResourceVector demand{};
  const auto add = [&](Resource resource, double amount) {
    auto& sum = at(demand, resource);
    sum = sum.value_or(0) + amount;
  };
  bool residence_known = true;
  for (const Flow& flow : flows) {
    add(Resource::gateway_requests, flow.requests_per_s);
    if (flow.from_provider) {
      const double per_min = flow.requests_per_s * kSecondsPerMinute;
      add(Resource::provider_requests, per_min);
      add(Resource::provider_tokens, per_min * (flow.prompt_tokens + flow.output_tokens));
      continue;
    }
    add(Resource::requests, flow.requests_per_s);
    add(Resource::prompt_tokens, flow.requests_per_s * flow.fresh_tokens());
    add(Resource::output_tokens, flow.requests_per_s * flow.output_tokens);
    if (flow.residence_s > 0) {
      add(Resource::active_kv_tokens,
          flow.requests_per_s * flow.residence_s * (flow.prompt_tokens + flow.output_tokens / 2));
    } else {
      residence_known = false;
    }
  }
  if (!residence_known) at(demand, Resource::active_kv_tokens).reset();
  return demand;
}

}  // namespace plimsoll
