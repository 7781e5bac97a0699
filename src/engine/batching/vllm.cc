// vLLM since V1 (2025): running sequences first, in order of admission, then the queue; decodes and
// chunks of prompts draw on one budget. Nobody enters in a step in which somebody lost its place.
// Without chunked prefill a prompt waits until a step has room for all of it; one longer than any
// step goes alone (vLLM asks for a budget of max_model_len then).
#include "engine/batch_draft.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

class Vllm final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    batch.serve_in_order();
    if (batch.preempted()) return;
    while (batch.has_candidate()) {
      if (batch.tokens_left() <= 0) return batch.lack_tokens();
      const BatchDraft::Candidate candidate = batch.candidate();
      const std::int64_t tokens =
          batch.limits().chunked_prefill ? batch.chunk_of(candidate) : candidate.to_compute;
      if (tokens > batch.tokens_left() && !batch.empty()) return batch.lack_tokens();
      if (!batch.admit(candidate, tokens)) return;
    }
  }
};

}  // namespace

BatchingRuleRow vllm_rule() {
  const EngineConfig usual;
  return {.name = "vllm",
          .help = "vLLM since V1: one token budget for decodes and chunks of prompts",
          .make = made<BatchingRule, Vllm>,
          .max_num_seqs = usual.max_num_seqs,
          .max_num_batched_tokens = usual.max_num_batched_tokens,
          .block_size = usual.block_size,
          .chunks_prompts = true};
}

}  // namespace plimsoll
