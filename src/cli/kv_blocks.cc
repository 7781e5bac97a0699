#include "cli/kv_blocks.h"

#include <algorithm>

#include "cli/setup.h"
#include "engine/batching_rule.h"
#include "perf/kv_capacity.h"

namespace plimsoll {

Result<KvBlocks> choose_kv_blocks(const Options& options, const EngineConfig& engine,
                                  const LatencyInputs& inputs) {
  if (options.total_kv_blocks) return KvBlocks{*options.total_kv_blocks, {}};
  const Semantics semantics = semantics_of(options);
  if (inputs.gpu.memory_gib == 0 && semantics.kv_blocks_without_memory_size > 0) {
    return KvBlocks{semantics.kv_blocks_without_memory_size, {}};
  }
  KvSettings settings;
  settings.block_size = engine.block_size;
  settings.gpu_memory_utilization = options.gpu_memory_utilization;
  settings.max_num_seqs = engine.max_num_seqs;
  // Of requests whose lengths a file says, the usual number stands.
  if (options.is_given("--prompt-tokens") || options.is_given("--output-tokens")) {
    settings.tokens_per_request =
        std::max<std::int64_t>(1, options.prompt_tokens + options.output_tokens);
  }
  if (batching_rule(engine.batching_rule).max_num_batched_tokens > 0) {
    settings.max_num_batched_tokens = engine.max_num_batched_tokens;
  }
  settings.activations =
      semantics.activations_as_profiled ? ActivationPeak::profiled : ActivationPeak::flat;
  settings.budget = semantics.kv_budget_per_gpu ? KvBudget::per_gpu : KvBudget::summed;
  settings.shapes = inputs.shapes;
  settings.speculation = inputs.speculation ? &*inputs.speculation : nullptr;
  const auto capacity = kv_capacity(inputs.model, inputs.gpu, inputs.parallelism, settings);
  if (!capacity) return tl::unexpected<Error>(capacity.error());
  return KvBlocks{capacity->total_blocks,
                  kv_interval(inputs.model, inputs.gpu, inputs.parallelism, settings, *capacity)};
}

}  // namespace plimsoll
