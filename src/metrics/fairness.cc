#include "metrics/fairness.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "metrics/latency.h"

namespace plimsoll {
namespace {

void count_overtaken(const RequestTable& t, std::span<const std::uint32_t> rows,
                     const SloPriorities& priorities, PriorityInversions* inversions) {
  std::map<std::int32_t, std::vector<Time>> admitted;  // by priority
  for (const std::uint32_t row : rows) {
    if (t.scheduling_delay[row] == kNoDuration) continue;
    admitted[priorities.of(t.slo_class[row])].push_back(t.arrival[row] + t.scheduling_delay[row]);
  }
  for (auto& [priority, times] : admitted) std::ranges::sort(times);
  for (const std::uint32_t row : rows) {
    const bool waits_still = t.outcome[row] == Outcome::unfinished;
    if (t.scheduling_delay[row] == kNoDuration && !waits_still) continue;
    const Time until =
        t.scheduling_delay[row] == kNoDuration ? kNever : t.arrival[row] + t.scheduling_delay[row];
    std::int64_t overtakers = 0;
    for (const auto& [priority, times] : admitted) {
      if (priority >= priorities.of(t.slo_class[row])) break;
      const auto first = std::ranges::lower_bound(times, t.arrival[row]);
      overtakers += std::ranges::lower_bound(times, until) - first;
    }
    inversions->pairs += overtakers;
    inversions->requests += overtakers > 0 ? 1 : 0;
  }
}

// Pairs i < j with values[i] > 2 values[j], by merge sort.
std::int64_t pairs_more_than_twice(std::span<std::int64_t> values) {
  if (values.size() < 2) return 0;
  const auto left = values.first(values.size() / 2);
  const auto right = values.subspan(values.size() / 2);
  std::int64_t pairs = pairs_more_than_twice(left) + pairs_more_than_twice(right);
  std::size_t smaller = 0;
  for (const std::int64_t value : left) {
    while (smaller < right.size() && value > 2 * right[smaller]) ++smaller;
    pairs += static_cast<std::int64_t>(smaller);
  }
  std::inplace_merge(values.begin(), values.begin() + std::ssize(left), values.end());
  return pairs;
}

constexpr double kConcentratedJain = 0.8;  // as if a fifth of the instances got nothing
constexpr double kEnoughRequests = 10;     // per instance; fewer are uneven by chance

// Of requests by what an instance serves; `speeds` are those of the last instances.
double jain_for_speed(const std::vector<double>& routed, const std::vector<double>& speeds) {
  std::vector<double> shares(routed.end() - std::ssize(speeds), routed.end());
  for (std::size_t i = 0; i < speeds.size(); ++i) shares[i] /= speeds[i];
  return jain_index(shares);
}

}  // namespace

double jain_index(std::span<const double> shares) {
  if (shares.empty()) return 0;
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 1;
}

TenantFairness tenant_fairness(std::span<const TrafficGroup> tenants) {
  std::vector<double> tokens;
  std::vector<double> requests;
  std::vector<double> service;
  for (const TrafficGroup& tenant : tenants) {
    tokens.push_back(static_cast<double>(tenant.output_tokens));
    requests.push_back(static_cast<double>(tenant.completed));
    service.push_back(ratio_or_zero(tenant.completed, tenant.arrived));
  }
  return {jain_index(tokens), jain_index(requests), jain_index(service)};
}

PriorityInversions priority_inversions(const RequestTable& table, std::size_t instances,
                                       const SloPriorities& priorities) {
  PriorityInversions inversions;
  const GroupedRows rows(table.instance, instances, 0);
  for (std::size_t i = 0; i < instances; ++i) {
    count_overtaken(table, rows.of(i), priorities, &inversions);
  }
  return inversions;
}

std::int64_t unequal_pairs(const RequestTable& table, std::size_t instances) {
  const GroupedRows rows(table.instance, instances, 0);
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < instances; ++i) {
    for (const SloClass slo_class : classes_by_urgency()) {
      std::vector<std::int64_t> e2e_us = values_of(rows.of(i), [&](std::uint32_t row) {
        return table.slo_class[row] == slo_class ? whole_us_of(table.e2e[row]) : kNoValue;
      });
      pairs += pairs_more_than_twice(e2e_us);
    }
  }
  return pairs;
}

double mean_queue_depth(const InstanceRecord& instance) {
  return ratio_or_zero(instance.queued_request_steps, instance.steps);
}

std::int64_t blocked_instances(std::span<const InstanceRecord> instances, bool with_itself) {
  if (instances.size() < 2) return 0;
  const double sum = total_of(instances, mean_queue_depth);
  const auto n = static_cast<double>(instances.size());
  return std::ranges::count_if(instances, [&](const InstanceRecord& instance) {
    const double depth = mean_queue_depth(instance);
    const double mean = with_itself ? sum / n : (sum - depth) / (n - 1);
    return depth > 2 * mean && (with_itself || depth >= 1);
  });
}

Balance balance_of(const RunRecord& record, std::size_t first, const std::vector<double>& speeds) {
  std::vector<double> routed(record.instances.size());
  for (const std::int32_t instance : record.requests.instance) {
    if (instance >= 0) ++routed[static_cast<std::size_t>(instance)];
  }
  Balance b;
  const double all = total_of(routed, std::identity());
  b.routed = static_cast<std::int64_t>(all);
  if (b.routed == 0) return b;
  const auto n = static_cast<double>(routed.size() - first);
  const auto most = std::max_element(routed.begin(), routed.end());
  b.busiest = static_cast<std::size_t>(most - routed.begin());
  b.busiest_share = *most / all;
  b.max_over_mean = b.busiest_share * n;
  b.jain = jain_index(std::span(routed).subspan(first));
  const double jain = speeds.empty() ? b.jain : std::max(b.jain, jain_for_speed(routed, speeds));
  b.concentrated = jain < kConcentratedJain && all >= kEnoughRequests * n;
  return b;
}

std::string concentration_text(const Balance& b, std::size_t instances) {
  return fmt::format(
      "instance_{} got {} % of {} requests, {} times an even share of {} instances (Jain index {}; "
      "1 is even): the routing policy concentrates this traffic",
      b.busiest, three_digits(100 * b.busiest_share), grouped(b.routed),
      three_digits(b.max_over_mean), instances, three_digits(b.jain));
}

}  // namespace plimsoll
