// Which batches a batching rule may form. Returns what is wrong with one; empty if nothing is.
#pragma once

#include <algorithm>
#include <string>

#include "engine/engine_config.h"
#include "perf/step_time_model.h"

namespace plimsoll {

inline std::string broken_limit(const EngineConfig& limits, const BatchShape& batch) {
  const std::string& rule = limits.batching_rule;
  const std::int64_t budget = limits.max_num_batched_tokens;
  const bool mixed = batch.prefill_tokens > 0 && batch.decode_requests > 0;
  if (batch.requests() > limits.max_num_seqs) return "too many requests";
  if (rule == "vllm") {
    return batch.prefill_tokens + batch.decode_requests > budget ? "too many tokens" : "";
  }
  if (rule == "sarathi") {
    const std::int64_t left = std::max<std::int64_t>(0, budget - batch.decode_requests);
    return batch.prefill_tokens > left ? "too many tokens of prompts" : "";
  }
  if (rule == "orca") return "";
  if (rule == "trtllm") {
    const bool fits = batch.prefill_tokens + batch.decode_requests <= budget;
    return batch.prefill_requests > 1 && !fits ? "too many tokens beside a second prompt" : "";
  }
  if (mixed) return "prompts beside decodes";
  if (rule == "fastertransformer" || batch.prefill_requests <= 1) return "";
  return batch.prefill_tokens > budget ? "too many tokens of several prompts" : "";
}

}  // namespace plimsoll
