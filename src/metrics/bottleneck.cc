#include "metrics/bottleneck.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr double kManyRejections = 0.05;   // of all arrivals
constexpr double kManyPreemptions = 0.01;  // per completed request
constexpr double kFullMemory = 0.95;       // mean share of KV blocks in use while busy
constexpr double kLongQueue = 0.10;        // share of the time of completed requests
constexpr double kLowUtilization = 0.50;

void set_time_shares(const RequestTable& table, Bottleneck* b) {
  double queue = 0;
  double prefill = 0;
  double all = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.e2e[i] == kNoDuration) continue;
    // A preempted request may be admitted again after its first token: its wait is cut at that.
    const Duration ttft = std::clamp(table.ttft[i], Duration{}, table.e2e[i]);
    const Duration delay = std::clamp(table.scheduling_delay[i], Duration{}, ttft);
    queue += to_seconds(delay);
    prefill += to_seconds(ttft - delay);
    all += to_seconds(table.e2e[i]);
  }
  if (!(all > 0)) return;
  b->queue_share = queue / all;
  b->prefill_share = prefill / all;
  b->decode_share = std::max(0.0, 1 - b->queue_share - b->prefill_share);
}

std::string percent(double share) { return three_digits(100 * share); }

}  // namespace

Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary) {
  Bottleneck b;
  set_time_shares(record.requests, &b);
  const GroupSummary& c = summary.cluster;
  const bool growing = summary.steady_state.backlog_growth_rps > 0;
  const bool queueing = growing || b.queue_share > kLongQueue;
  const std::int64_t arrivals = c.injected + summary.rejected_admission + summary.rejected_routing;

  const auto served = static_cast<double>(std::max<std::int64_t>(1, c.completed));
  if (static_cast<double>(summary.rejected_admission) >
      kManyRejections * static_cast<double>(arrivals)) {
    b.limit = "admission";
    b.reason = fmt::format("admission turned away {} of {} requests",
                           grouped(summary.rejected_admission), grouped(arrivals));
  } else if (static_cast<double>(c.preemptions) > kManyPreemptions * served) {
    b.limit = "memory";
    b.reason = fmt::format(
        "{} preemptions for {} completed requests: the KV cache is {} % full on average and "
        "{} % at its peak",
        grouped(c.preemptions), grouped(c.completed), percent(c.kv_utilization),
        percent(c.kv_peak_utilization));
  } else if (queueing && c.kv_utilization > kFullMemory) {
    b.limit = "memory";
    b.reason = fmt::format(
        "the KV cache is {} % full on average, so that requests wait for {} % of their "
        "time",
        percent(c.kv_utilization), percent(b.queue_share));
  } else if (queueing) {
    b.limit = "queue";
    b.reason = fmt::format(
        "requests wait for {} % of their time (p99 {}) and instances are busy for "
        "{} %: more arrives than they can serve at once",
        percent(b.queue_share), ms_or_s(c.scheduling_delay_p99_ms / 1000), percent(c.utilization));
  } else if (c.utilization < kLowUtilization) {
    b.limit = "none";
    b.reason = fmt::format("instances are busy for {} % of the time", percent(c.utilization));
  } else {
    b.limit = "compute";
    b.reason = fmt::format(
        "requests wait for {} % of their time only; the rest is step time, at {} requests "
        "per batch",
        percent(b.queue_share), three_digits(c.mean_batch_size));
  }
  return b;
}

}  // namespace plimsoll
