// From the record of a run to the figures people ask for. Every metric is defined once, here and
// in docs/metrics.md. Latencies are taken in whole microseconds, as the reference does, and only
// then divided by 1000.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "engine/run_record.h"
#include "metrics/bottleneck.h"
#include "stats/steady_state.h"

namespace plimsoll {

/// Mean and percentiles of a latency in milliseconds; all zero when nothing completed.
struct LatencySummary {
  double mean_ms = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
};

/// The figures of one instance, or of the whole cluster.
struct GroupSummary {
  std::string name;  ///< "cluster" or "instance_<n>"
  std::int64_t completed = 0;
  std::int64_t still_queued = 0;
  std::int64_t still_running = 0;
  std::int64_t injected = 0;  ///< completed + queued + running + dropped + timed out
  std::int64_t total_input_tokens = 0;
  std::int64_t total_output_tokens = 0;
  double duration_s = 0;  ///< to the end of the last step; cluster: the longest instance's
  double responses_per_sec = 0;
  double tokens_per_sec = 0;
  LatencySummary e2e;   ///< completed requests
  LatencySummary ttft;  ///< every request that got a first token
  LatencySummary itl;   ///< all gaps of completed requests, pooled
  double scheduling_delay_p50_ms = 0;
  double scheduling_delay_p99_ms = 0;
  std::int64_t kv_allocation_failures = 0;
  std::int64_t preemptions = 0;
  double cache_hit_rate = 0;   ///< blocks claimed / (claimed + taken); cluster: mean of instances
  double prefix_hit_rate = 0;  ///< the same; cluster: over the blocks of all instances
  std::int64_t dropped_unservable = 0;
  std::int64_t length_capped = 0;
  std::int64_t timed_out = 0;
  double utilization = 0;          ///< busy time / duration of the run; cluster: mean
  double kv_utilization = 0;       ///< mean share of KV blocks in use while busy
  double kv_peak_utilization = 0;  ///< cluster: of the fullest instance
  double mean_batch_size = 0;
};

inline constexpr double kIntervalLevel = 0.90;

/// An interval for one metric in the steady state: of requests that arrive after the warm-up, and
/// of rates between the warm-up and the last arrival. The plain figure is over the whole run,
/// filling up and drain included, and may lie outside.
struct MetricInterval {
  std::string metric;  ///< key of the value it belongs to, e.g. "ttft_p99_ms"
  double low = 0;
  double high = 0;
};

struct Summary {
  GroupSummary cluster;
  std::vector<GroupSummary> instances;
  std::int64_t rejected_admission = 0;
  std::int64_t rejected_routing = 0;
  double offered_rps = 0;  ///< arrivals / arrival span
  SteadyState steady_state;
  std::vector<MetricInterval> intervals;  ///< empty unless steady; those the run is long enough for
  Bottleneck bottleneck;
};

/// Takes two scratch columns at a time beside the record.
Summary summarize(const RunRecord& record);

}  // namespace plimsoll
