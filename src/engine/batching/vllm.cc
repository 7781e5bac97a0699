// vLLM since V1 (2025): running sequences first, in order of admission, then the queue; decodes and
// chunks of prompts draw on one budget. Nobody enters in a step in which somebody lost its place.
#include "engine/batch_draft.h"
#include "engine/batching/makers.h"

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
      if (!batch.admit(candidate, batch.chunk_of(candidate))) return;
    }
  }
};

}  // namespace

std::unique_ptr<BatchingRule> make_vllm() { return std::make_unique<Vllm>(); }

}  // namespace plimsoll
