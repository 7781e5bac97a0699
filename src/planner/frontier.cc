#include "planner/frontier.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll {

double compared_latency_ms(const CandidateResult& result) {
  const LoadProbe& probe = result.at_compared ? *result.at_compared : *result.at_good;
  return probe.slos.empty() ? probe.summary.cluster.ttft.p99_ms : probe.slos.front().value_ms;
}

std::vector<std::size_t> frontier_of(const std::vector<CandidateResult>& candidates,
                                     std::vector<std::size_t> feasible, bool by_latency) {
  const auto value = [&](std::size_t i) {
    const CandidateResult& r = candidates[i];
    return by_latency ? -compared_latency_ms(r) : r.good_rps;
  };
  const auto order = [&](std::size_t a, std::size_t b) {
    return std::pair(candidates[a].usd_per_hour, -value(a)) <
           std::pair(candidates[b].usd_per_hour, -value(b));
  };
  std::ranges::stable_sort(feasible, order);
  std::vector<std::size_t> frontier;
  double best = -std::numeric_limits<double>::infinity();
  for (const std::size_t i : feasible) {
    if (value(i) <= best) continue;
    best = value(i);
    frontier.push_back(i);
  }
  return frontier;
}

}  // namespace plimsoll
