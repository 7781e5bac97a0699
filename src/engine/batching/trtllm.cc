// TensorRT-LLM: a token for each that decodes, then prompts, whole, while max_num_tokens has room
// for the next one. Whoever enters gets the KV blocks of the longest answer that its client allows
// (GUARANTEED_NO_EVICT, the usual capacity_scheduler_policy), so no request is ever preempted. The
// first prompt of a step enters however long it is: the engine wants max_num_tokens to be larger.
#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

class Trtllm final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    batch.serve_decodes();
    for (bool first = true; batch.has_candidate(); first = false) {
      const BatchDraft::Candidate candidate = batch.candidate();
      if (!first && candidate.to_compute > batch.tokens_left()) return batch.lack_tokens();
      const KvCache::Room room = room_for(candidate.longest, batch.limits());
      if (!batch.admit(candidate, candidate.to_compute, room)) return;
    }
  }
};

}  // namespace

BatchingRuleRow trtllm_rule() {
  return {.name = "trtllm",
          .help = "TensorRT-LLM: decodes, then whole prompts; memory reserved for each answer",
          .make = made<BatchingRule, Trtllm>,
          .max_num_seqs = 2048,
          .max_num_batched_tokens = 8192,
          .block_size = 32,
          .sets_aside = SetsAside::own_answer};
}

}  // namespace plimsoll
