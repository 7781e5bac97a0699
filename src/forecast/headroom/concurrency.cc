#include "forecast/headroom/concurrency.h"

#include <algorithm>
#include <optional>
#include <string>

namespace plimsoll {
namespace {

// In the engine and before it, in seconds.
std::optional<double> residence_of(const Flow& flow, const LoadProbe* seen) {
  if (flow.from_provider || seen == nullptr) {
    return flow.residence_s > 0 ? std::optional(flow.residence_s) : std::nullopt;
  }
  const GroupSummary& all = seen->summary.cluster;
  const double gaps = std::max(0.0, flow.output_tokens - 1);
  return (all.ttft.mean_ms + gaps * all.itl.mean_ms) / 1e3;
}

}  // namespace

std::vector<RouteConcurrency> concurrency_of(const Situation& peak) {
  const LoadProbe* seen = peak.held_probe();
  std::vector<RouteConcurrency> all;
  std::vector<std::string> unknown;
  for (const Flow& flow : peak.flows) {
    const auto residence = residence_of(flow, seen);
    if (!residence) {
      unknown.push_back(flow.route);
      continue;
    }
    auto known = std::ranges::find(all, flow.route, &RouteConcurrency::route);
    if (known == all.end()) known = all.insert(all.end(), {flow.route, 0});
    known->requests += flow.requests_per_s * *residence;
  }
  std::erase_if(all, [&](const RouteConcurrency& each) {
    return std::ranges::count(unknown, each.route) > 0;
  });
  return all;
}

}  // namespace plimsoll
