// Sarathi-Serve (Agrawal et al., OSDI 2024): every decode gets its token; what is left of a small
// budget goes to chunks of prompts, those begun first, then the queue. A prompt gets all its blocks
// when it is let in. Nobody enters in a step in which somebody lost its place.
#include "base/numbers.h"
#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

class Sarathi final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    batch.serve_decodes();
    batch.serve_prompts();
    if (batch.preempted()) return;
    const EngineConfig& limits = batch.limits();
    while (batch.has_candidate()) {
      if (batch.tokens_left() <= 0) return batch.lack_tokens();
      const BatchDraft::Candidate candidate = batch.candidate();
      const KvCache::Room room{.set_aside = ceil_div(candidate.to_prefill, limits.block_size),
                               .leave_free = watermark_blocks(limits)};
      if (!batch.admit(candidate, batch.chunk_of(candidate), room)) return;
    }
  }
};

}  // namespace

BatchingRuleRow sarathi_rule() {
  return {.name = "sarathi",
          .help = "Sarathi-Serve: all decodes, then chunks of prompts up to a small budget",
          .make = made<BatchingRule, Sarathi>,
          .max_num_batched_tokens = 512,
          .chunks_prompts = true};
}

}  // namespace plimsoll
