// The figures of one instance or of the whole cluster. Each has its row in metrics/figures.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/latency.h"

namespace plimsoll {

/// How much of what the GPUs could do at most was done.
struct Efficiency {
  double mfu = 0;  ///< FLOPs / (peak x busy time)
  double mfu_of_run = 0;
  double mbu = 0;  ///< bytes read and written / (peak x busy time)
  double mbu_of_run = 0;
  double gpu_power_w = 0;                ///< of a GPU while busy, an estimate; 0: not known
  double energy_j_per_output_token = 0;  ///< of all GPUs while busy; 0: not known, or no token
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
  LatencySummary e2e;               ///< completed requests
  LatencySummary ttft;              ///< every request that got a first token
  LatencySummary itl;               ///< all gaps between tokens, pooled
  LatencySummary tpot;              ///< mean gap of each completed request
  LatencySummary scheduling_delay;  ///< every request that was ever put in a batch
  std::int64_t kv_allocation_failures = 0;
  std::int64_t preemptions = 0;
  double cache_hit_rate = 0;   ///< blocks claimed / (claimed + taken); cluster: mean of instances
  double prefix_hit_rate = 0;  ///< prompt tokens found in the KV cache / all that were looked up
  std::int64_t dropped_unservable = 0;
  std::int64_t length_capped = 0;
  std::int64_t timed_out = 0;
  double utilization = 0;          ///< busy time / duration of the run; cluster: mean
  double kv_utilization = 0;       ///< mean share of KV blocks in use while busy
  double kv_peak_utilization = 0;  ///< cluster: of the fullest instance
  double mean_batch_size = 0;
  double mean_queue_depth = 0;  ///< requests in the wait queue, over steps
  LatencySummary queue_time;    ///< every request that was ever put in a batch
  std::optional<Efficiency> efficiency;
};

// The bands by which people read how well GPUs and their memory are used.

inline constexpr double kGoodMfu = 0.5;
inline constexpr double kHighMfu = 0.7;
/// Mean shares of the KV blocks in use: below the first there is room, above the second bursts
/// preempt.
inline constexpr double kSomeKvMemory = 0.6;
inline constexpr double kFullKvMemory = 0.85;

/// A word for the MFU while busy: the rest of the peak goes to memory traffic and overheads. Above
/// 1 it is the step-time model that is wrong.
constexpr std::string_view mfu_reading(double mfu) {
  return mfu < kGoodMfu ? "low" : mfu <= kHighMfu ? "good" : mfu <= 1 ? "high" : "impossible";
}

/// A word for the mean share of KV blocks in use: room to spare, about right, or at risk of
/// preemptions. By itself it does not say that there is too much: limits on latency may bind long
/// before.
constexpr std::string_view kv_memory_reading(double share) {
  return share < kSomeKvMemory ? "ample" : share <= kFullKvMemory ? "healthy" : "at risk";
}

}  // namespace plimsoll
