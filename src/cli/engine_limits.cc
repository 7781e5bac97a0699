#include "cli/engine_limits.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

// The other rules have it one way or the other in their nature.
bool may_take_prompts_whole(const BatchingRuleRow& rule) {
  return rule.name == batching_rules().front().name;
}

// As vLLM does it: a step has to have room for the longest prompt.
Result<void> take_prompts_whole(const Options& options, const ModelConfig& model,
                                EngineConfig* engine) {
  const std::int64_t asked = options.max_model_len.value_or(0);
  const std::int64_t longest = asked > 0 ? asked : model.max_model_len;
  if (!options.is_given("--max-num-batched-tokens")) {
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

Result<EngineConfig> engine_limits(const Options& options, const Semantics& semantics,
                                   const ModelConfig& model) {
  const BatchingRuleRow& rule = batching_rule(options.batching_rule);
  if (!semantics.other_batching_rules && rule.name != batching_rules().front().name) {
    return fail(ErrorKind::usage,
                "--batching-rule " + rule.name + " does not go with --semantics blis",
                "the reference simulator forms batches by the rule of vLLM alone");
  }
  const auto limit = [&](std::string_view flag, std::int64_t given, std::int64_t otherwise) {
    return options.is_given(flag) ? given : otherwise;
  };
  EngineConfig engine;
  engine.batching_rule = rule.name;
  engine.max_num_seqs = limit("--max-num-seqs", options.max_num_seqs, rule.max_num_seqs);
  engine.max_num_batched_tokens = limit("--max-num-batched-tokens", options.max_num_batched_tokens,
                                        rule.max_num_batched_tokens);
  engine.block_size = limit("--block-size-in-tokens", options.block_size, rule.block_size);
  if (!rule.any_block_size && engine.block_size != rule.block_size) {
    return fail(ErrorKind::usage,
                fmt::format("--batching-rule {} needs --block-size-in-tokens {}, not {}", rule.name,
                            rule.block_size, engine.block_size),
                "it counts its memory in tokens; leave the block size out");
  }
  engine.long_prefill_token_threshold = options.long_prefill_token_threshold;
  engine.scheduler = options.scheduler;
  engine.preemption = options.preemption;
  engine.prefix_caching = !options.no_prefix_caching;
  if (options.no_chunked_prefill && may_take_prompts_whole(rule)) {
    if (auto whole = take_prompts_whole(options, model, &engine); !whole) return pass_on(whole);
  }
  engine.priorities = options.priorities;
  return engine;
}

std::vector<std::string> notes_on_limits(const Options& options, const EngineConfig& engine) {
  const BatchingRuleRow& rule = batching_rule(engine.batching_rule);
  std::vector<std::string> notes;
  const auto in_vain = [&](std::string_view flag, std::string_view why) {
    if (!options.is_given(flag)) return;
    notes.push_back(
        fmt::format("{} has no effect with --batching-rule {}: {}", flag, rule.name, why));
  };
  if (rule.max_num_batched_tokens == 0) {
    in_vain("--max-num-batched-tokens", "it does not limit the tokens of a step");
  }
  if (!rule.chunks_prompts) {
    in_vain("--long-prefill-token-threshold", "it takes prompts whole");
  } else if (!engine.chunked_prefill && options.is_given("--long-prefill-token-threshold")) {
    notes.emplace_back("--long-prefill-token-threshold has no effect with --no-chunked-prefill");
  }
  if (!may_take_prompts_whole(rule)) {
    in_vain("--no-chunked-prefill",
            rule.chunks_prompts ? "it always takes chunks" : "it takes prompts whole");
  }
  if (rule.sets_aside_answers) {
    in_vain("--preemption-policy", "nobody ever loses its place");
    const std::int64_t blocks = (engine.max_model_len + engine.block_size - 1) / engine.block_size;
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

}  // namespace plimsoll
