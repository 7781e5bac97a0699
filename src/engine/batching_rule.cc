#include "engine/batching_rule.h"

#include <algorithm>

#include "engine/batching/makers.h"

namespace plimsoll {

// The limits of the rules after the first are those that Vidur gives them.
const std::vector<BatchingRuleRow>& batching_rules() {
  static const std::vector<BatchingRuleRow> rows{
      {.name = "vllm",
       .help = "vLLM since V1: one token budget for decodes and chunks of prompts",
       .make = make_vllm,
       .max_num_seqs = 256,
       .max_num_batched_tokens = 2048,
       .chunks_prompts = true},
      {.name = "vllm-v0",
       .help = "vLLM before: prompts first, whole and alone; decodes while none fits",
       .make = make_vllm_v0,
       .max_num_batched_tokens = 4096},
      {.name = "sarathi",
       .help = "Sarathi-Serve: all decodes, then chunks of prompts up to a small budget",
       .make = make_sarathi,
       .max_num_batched_tokens = 512,
       .chunks_prompts = true},
      {.name = "orca",
       .help = "Orca: whole prompts beside the decodes, memory for the longest request",
       .make = make_orca,
       .sets_aside_answers = true},
      {.name = "fastertransformer",
       .help = "FasterTransformer: a batch runs to its end before others enter",
       .make = make_fastertransformer,
       .sets_aside_answers = true},
      {.name = "lightllm",
       .help = "LightLLM: prompts after every 10 decodes, if no decode will lack memory",
       .make = make_lightllm,
       .max_num_batched_tokens = 4096,
       .block_size = 1,
       .any_block_size = false},
  };
  return rows;
}

const BatchingRuleRow& batching_rule(std::string_view name) {
  return *std::find_if(batching_rules().begin(), batching_rules().end(),
                       [&](const BatchingRuleRow& row) { return row.name == name; });
}

}  // namespace plimsoll
