// The settings that each pool of a fleet may have of its own: one row each, from which follow the
// keys of fleet files, of results, and what holds for the pool instead of the flags for all.
#pragma once

#include <cstdint>

#include "base/range.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// Calls visit(KEY IN A FLEET FILE, KEY IN RESULTS, RANGE, MEMBER OF PoolSpec, FOR_ALL), where
/// for_all(run) is the setting of the whole run. Members are std::optional: of a count, a share or
/// a yes or no, whose range says nothing.
template <class Visit>
void for_each_pool_setting(Visit&& visit) {
  constexpr IntRange kDegree{1, 1024};
  constexpr IntRange kCount{1, 1'000'000'000};
  visit(
      "tensor_parallel", "tp", kDegree, &PoolSpec::tp,
      [](auto& run) -> auto& { return run.layout.tp; });
  visit(
      "pipeline_parallel", "pp", IntRange{1, 64}, &PoolSpec::pp,
      [](auto& run) -> auto& { return run.layout.pp; });
  visit(
      "data_parallel", "dp", kDegree, &PoolSpec::dp,
      [](auto& run) -> auto& { return run.layout.dp; });
  visit(
      "expert_parallel", "enable-expert-parallel", IntRange{}, &PoolSpec::expert_parallel,
      [](auto& run) -> auto& { return run.layout.expert_parallel; });
  visit(
      "max_num_seqs", "max-num-seqs", kCount, &PoolSpec::max_num_seqs,
      [](auto& run) -> auto& { return run.engine.max_num_seqs; });
  visit(
      "max_num_batched_tokens", "max-num-batched-tokens", kCount, &PoolSpec::max_num_batched_tokens,
      [](auto& run) -> auto& { return run.engine.max_num_batched_tokens; });
  visit(
      "max_model_len", "max-model-len", kCount, &PoolSpec::max_model_len,
      [](auto& run) -> auto& { return run.engine.max_model_len; });
  visit(
      "prompt_wait_steps", "prompt-wait-steps", IntRange{0, kCount.max},
      &PoolSpec::prompt_wait_steps,
      [](auto& run) -> auto& { return run.engine.prompt_wait_steps; });
  visit(
      "total_kv_blocks", "total-kv-blocks", kCount, &PoolSpec::total_kv_blocks,
      [](auto& run) -> auto& { return run.engine.total_kv_blocks; });
  visit(
      "gpu_memory_utilization", "gpu-memory-utilization", kSomeShare,
      &PoolSpec::gpu_memory_utilization,
      [](auto& run) -> auto& { return run.engine.gpu_memory_utilization; });
}

}  // namespace plimsoll
