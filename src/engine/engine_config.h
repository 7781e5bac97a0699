// The limits of one serving instance, in vLLM's own terms.
#pragma once

#include <cstdint>
#include <string>

#include "base/policy.h"
#include "workload/slo_class.h"

namespace plimsoll {

/// Limits as they are unless somebody says otherwise; other batching rules have their own
/// (BatchingRuleRow).
struct EngineConfig {
  std::string batching_rule = "vllm";  ///< one of batching_rules() (batching_rule.h)
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  bool chunked_prefill = true;  ///< of the rule vllm: a prompt may take several steps
  std::int64_t long_prefill_token_threshold = 0;  ///< 0 = no extra chunking
  /// With several data-parallel ranks, the most steps for which the prompts of some wait, while all
  /// decode, until all ranks have one (TensorRT-LLM's attention_dp_config.timeout_iters with
  /// enable_balance).
  std::int64_t prompt_wait_steps = 0;
  std::int64_t max_model_len = 0;   ///< prompt + answer; 0 = unlimited
  std::string scheduler = "fcfs";   ///< one of schedulers() (scheduler.h)
  std::string preemption = "fcfs";  ///< one of preemption_rules() (preemption.h)
  ChosenParameters parameters;      ///< of these policies
  std::int64_t total_kv_blocks = 0;
  std::int64_t block_size = 16;  ///< tokens per KV block
  bool prefix_caching = true;
  SloPriorities priorities;
};

}  // namespace plimsoll
