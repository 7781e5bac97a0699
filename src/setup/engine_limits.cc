#include "setup/engine_limits.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "engine/batching_rule.h"
#include "perf/kv_capacity.h"
#include "setup/pools.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

// The other rules have it one way or the other in their nature.
bool may_take_prompts_whole(const BatchingRuleRow& rule) {
  return rule.name == batching_rules().front().name;
}

// As vLLM does it: a step has to have room for the longest prompt.
Result<void> take_prompts_whole(const RunSpec& run, const ModelConfig& model,
                                EngineConfig* engine) {
  const std::int64_t asked = run.engine.max_model_len.value_or(0);
  const std::int64_t longest = asked > 0 ? asked : model.max_model_len;
  if (!run.engine.max_num_batched_tokens) {
    engine->max_num_batched_tokens = std::max(engine->max_num_batched_tokens, longest);
  }
  if (engine->max_num_batched_tokens < longest) {
    return fail(ErrorKind::usage,
                fmt::format("--no-chunked-prefill with --max-num-batched-tokens {}: requests of up "
                            "to {} tokens are allowed, and no step would have room for their "
                            "prompts",
                            engine->max_num_batched_tokens, longest),
                "leave --max-num-batched-tokens out, or lower --max-model-len");
  }
  engine->chunked_prefill = false;
  return {};
}

}  // namespace

std::string batching_rule_of(const RunSpec& run) {
  const bool is_chosen = run.engine.batching_rule.origin() != Origin::usual;
  if (is_chosen || splits(run) || !semantics_of(run).other_batching_rules)
    return run.engine.batching_rule;
  switch (run.step_time.engine.value_or(Engine::vllm)) {
    case Engine::vllm:
      break;
    case Engine::sglang:
      return "sglang";
    case Engine::trtllm:
      return "trtllm";
  }
  return run.engine.batching_rule;
}

Result<EngineConfig> engine_limits(const RunSpec& run, const Semantics& semantics,
                                   const ModelConfig& model) {
  const BatchingRuleRow& rule = batching_rule(batching_rule_of(run));
  if (!semantics.other_batching_rules && rule.name != batching_rules().front().name) {
    return fail(ErrorKind::usage,
                "--batching-rule " + rule.name + " does not go with --semantics blis",
                "BLIS forms batches by the rule of vLLM alone");
  }
  EngineConfig engine;
  engine.batching_rule = rule.name;
  engine.max_num_seqs = run.engine.max_num_seqs.value_or(rule.max_num_seqs);
  engine.max_num_batched_tokens =
      run.engine.max_num_batched_tokens.value_or(rule.max_num_batched_tokens);
  // As vLLM does it: a limit on requests that nobody gave is at most that on tokens.
  const bool is_default = !run.engine.max_num_seqs;
  if (semantics.other_batching_rules && is_default && engine.max_num_batched_tokens > 0) {
    engine.max_num_seqs = std::min(engine.max_num_seqs, engine.max_num_batched_tokens);
  }
  engine.block_size = run.engine.block_size.value_or(rule.block_size);
  if (!rule.any_block_size && engine.block_size != rule.block_size) {
    return fail(ErrorKind::usage,
                fmt::format("--batching-rule {} needs --block-size-in-tokens {}, not {}", rule.name,
                            rule.block_size, engine.block_size),
                "it counts its memory in tokens; leave the block size out");
  }
  engine.long_prefill_token_threshold = run.engine.long_prefill_token_threshold;
  engine.prompt_wait_steps = run.engine.prompt_wait_steps;
  engine.scheduler = run.engine.scheduler;
  engine.preemption = run.engine.preemption;
  engine.parameters = run.engine.parameters;
  engine.prefix_caching = !run.engine.no_prefix_caching;
  if (run.engine.no_chunked_prefill && may_take_prompts_whole(rule)) {
    TRY_TO(take_prompts_whole(run, model, &engine));
  }
  engine.priorities = run.cluster.priorities;
  return engine;
}

std::vector<std::string> notes_on_limits(const RunSpec& run, const EngineConfig& engine) {
  const BatchingRuleRow& rule = batching_rule(engine.batching_rule);
  std::vector<std::string> notes;
  const auto in_vain = [&](bool is_asked, std::string_view flag, std::string_view why) {
    if (!is_asked) return;
    notes.push_back(
        fmt::format("{} has no effect with --batching-rule {}: {}", flag, rule.name, why));
  };
  const bool is_engines_own = run.engine.batching_rule.origin() == Origin::usual;
  const Engine served = run.step_time.engine.value_or(Engine::vllm);
  if (served != Engine::vllm && splits(run) && is_engines_own) {
    notes.push_back(
        fmt::format("--engine {} sets step times alone where prefill is split from decode: batches "
                    "are formed by the rule of vLLM, with its limits",
                    name_of(served)));
  }
  if (rule.max_num_batched_tokens == 0) {
    in_vain(run.engine.max_num_batched_tokens.has_value(), "--max-num-batched-tokens",
            "it does not limit the tokens of a step");
  }
  if (!rule.chunks_prompts) {
    in_vain(run.engine.long_prefill_token_threshold.is_asked(), "--long-prefill-token-threshold",
            "it takes prompts whole");
  } else if (!engine.chunked_prefill && run.engine.long_prefill_token_threshold.is_asked()) {
    notes.emplace_back("--long-prefill-token-threshold has no effect with --no-chunked-prefill");
  }
  if (!may_take_prompts_whole(rule)) {
    in_vain(run.engine.no_chunked_prefill.is_asked(), "--no-chunked-prefill",
            rule.chunks_prompts ? "it always takes chunks" : "it takes prompts whole");
  }
  if (rule.sets_aside != SetsAside::nothing) {
    in_vain(run.engine.preemption.is_asked(), "--preemption-policy",
            "no request is ever preempted");
  }
  if (rule.sets_aside == SetsAside::longest_request) {
    const std::int64_t blocks = ceil_div(engine.max_model_len, engine.block_size);
    const std::int64_t fit = engine.total_kv_blocks / std::max<std::int64_t>(blocks, 1);
    if (fit < engine.max_num_seqs) {
      notes.push_back(
          fmt::format("{} sets aside KV blocks for {} tokens per request (--max-model-len): "
                      "instances run {} requests at a time",
                      rule.name, engine.max_model_len, fit));
    }
  }
  return notes;
}

bool has_hybrid_cache(const RunSpec& run) {
  if (run.engine.no_hybrid_cache.is_asked()) return !run.engine.no_hybrid_cache;
  const bool is_vllm = run.step_time.engine.value_or(Engine::vllm) == Engine::vllm;
  return run.semantics != SemanticsMode::vllm || !is_vllm || !splits(run);
}

Result<KvBlocks> choose_kv_blocks(const RunSpec& run, const EngineConfig& engine,
                                  const LatencyInputs& inputs) {
  const Semantics semantics = semantics_of(run);
  if (run.engine.total_kv_blocks) {
    const std::int64_t ranks = semantics.ranks_run_apart ? *run.layout.dp : 1;
    if (*run.engine.total_kv_blocks < ranks) {
      return fail(ErrorKind::usage,
                  fmt::format("{} for {} data-parallel ranks: each has a KV cache of its own",
                              counted(*run.engine.total_kv_blocks, "KV block"), ranks),
                  "--total-kv-blocks counts those of all ranks of an instance");
    }
    return KvBlocks{*run.engine.total_kv_blocks, {}};
  }
  if (inputs.gpu.memory_gib == 0 && semantics.kv_blocks_without_memory_size > 0) {
    return KvBlocks{semantics.kv_blocks_without_memory_size, {}};
  }
  KvSettings settings;
  settings.block_size = engine.block_size;
  settings.gpu_memory_utilization = run.engine.gpu_memory_utilization;
  settings.max_num_seqs = engine.max_num_seqs;
  // Of requests whose lengths a file says, the usual number stands.
  if (run.traffic.prompt.mean.is_asked() || run.traffic.output.mean.is_asked()) {
    settings.tokens_per_request =
        std::max<std::int64_t>(1, run.traffic.prompt.mean + run.traffic.output.mean);
  }
  if (batching_rule(engine.batching_rule).max_num_batched_tokens > 0) {
    settings.max_num_batched_tokens = engine.max_num_batched_tokens;
  }
  settings.activations =
      semantics.activations_as_profiled ? ActivationPeak::profiled : ActivationPeak::flat;
  settings.budget = semantics.kv_budget_per_gpu ? KvBudget::per_gpu : KvBudget::summed;
  settings.shapes = inputs.shapes;
  settings.no_hybrid_cache = !has_hybrid_cache(run);
  settings.speculation = inputs.speculation ? &*inputs.speculation : nullptr;
  TRY(capacity, kv_capacity(inputs.model, inputs.gpu, inputs.parallelism, settings));
  return KvBlocks{capacity.total_blocks,
                  kv_interval(inputs.model, inputs.gpu, inputs.parallelism, settings, capacity)};
}

}  // namespace plimsoll
