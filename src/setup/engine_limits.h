// The limits of an instance of a run: what is not said there is as the batching rule has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "engine/engine_config.h"
#include "perf/latency_models.h"
#include "perf/model_error.h"
#include "setup/run_spec.h"

namespace plimsoll {

struct KvBlocks {
  std::int64_t count = 0;
  std::optional<KvInterval> interval;  ///< where they were computed
};

Result<KvBlocks> choose_kv_blocks(const RunSpec& run, const EngineConfig& engine,
                                  const LatencyInputs& inputs);

/// How batches are formed where nobody says it: as the engine does whose kernels run. TensorRT-LLM
/// and vLLM let prompts join decodes by the same rule; that rule alone goes with a split and with
/// the reference simulator.
std::string batching_rule_of(const RunSpec& run);

/// The engine's KV cache knows layers of different kinds, so that those with a window keep no more
/// than that. vLLM turns that off where a connector moves KV blocks (vllm #42024).
bool has_hybrid_cache(const RunSpec& run);

/// All but the number of KV blocks and the longest request. An error says what the rule does not
/// allow.
Result<EngineConfig> engine_limits(const RunSpec& run, const Semantics& semantics,
                                   const ModelConfig& model);

/// Flags that were given in vain, and how many requests run at a time where that follows from the
/// longest one. `engine` is complete.
std::vector<std::string> notes_on_limits(const RunSpec& run, const EngineConfig& engine);

}  // namespace plimsoll
