// The deployments that an engine refuses to serve, so that no answer recommends it: one row per
// rule, with where it is written and what helps. Read by setup/setup.h, and with it by every verb
// that simulates a deployment, and by `plimsoll list rules`. Rules about a GPU need its compute
// capability; of GPUs of other makers and of users, whose capability is not known, none is asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "catalog/model.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// The limits that an instance is started with, in requests and tokens; 0: not known, or left to
/// the engine.
struct StartLimits {
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::int64_t max_model_len = 0;
};

/// A model as it is served, with the formats of its weights.
struct ModelPlacement {
  const ModelConfig& model;
  const GpuSpec& gpu;
  const Parallelism& layout;
  StartLimits limits = {};
  bool has_hybrid_cache = true;  ///< vLLM's KV cache manager knows layers of different kinds
  Engine engine = Engine::vllm;
};

/// `refuses`: the engine does not start. `falls_back`: it serves in another way, and says so in its
/// log.
enum class RuleEffect { refuses, falls_back };

struct EngineRule {
  std::string name;
  RuleEffect effect = RuleEffect::refuses;
  bool can_be_ignored = true;  ///< the deployment can be simulated in spite of it
  std::string help;            ///< what is refused
  std::string remedy;          ///< what to do instead
  std::string source;
  /// The objection to this deployment, as a sentence; empty: nothing.
  std::function<std::string(const ModelPlacement&)> objection;
  std::string engine = "vLLM";  ///< that refuses
};

const std::vector<EngineRule>& engine_rules();
/// Those that can be ignored.
std::vector<std::string> ignorable_rules();

/// The first refusal that is not to be ignored, as a usage error with the remedy.
Result<void> check_engine_rules(const ModelPlacement& served,
                                const std::vector<std::string>& ignored);

/// Where vLLM falls back, and which refusals are ignored here.
std::vector<std::string> engine_rule_notes(const ModelPlacement& served,
                                           const std::vector<std::string>& ignored);

}  // namespace plimsoll
