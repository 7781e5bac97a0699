// The limits of one serving instance, in vLLM's own terms.
#pragma once

#include <cstdint>
#include <string>

#include "workload/slo_class.h"

namespace plimsoll {

/// Order of the wait queue, re-established before every step.
enum class SchedulerPolicy { fcfs, priority_fcfs, sjf, reverse_priority };

/// Who loses its place when a running request needs a KV block and none is free: the latest
/// admitted (fcfs), or the least urgent, then latest arrived (priority).
enum class PreemptionPolicy { fcfs, priority };

struct EngineConfig {
  std::string batching_rule = "vllm";  ///< see engine/batching_rule.h
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  bool chunked_prefill = true;  ///< of the rule vllm: a prompt may take several steps
  std::int64_t long_prefill_token_threshold = 0;  ///< 0 = no extra chunking
  std::int64_t max_model_len = 0;                 ///< prompt + answer; 0 = unlimited
  SchedulerPolicy scheduler = SchedulerPolicy::fcfs;
  PreemptionPolicy preemption = PreemptionPolicy::fcfs;
  std::int64_t total_kv_blocks = 0;
  std::int64_t block_size = 16;  ///< tokens per KV block
  bool prefix_caching = true;
  SloPriorities priorities;
};

}  // namespace plimsoll
