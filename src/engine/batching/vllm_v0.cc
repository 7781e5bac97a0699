// vLLM before V1 (Kwon et al., SOSP 2023): if the first in the queue fits, a batch of prompts
// alone, each whole; the others wait. Else a batch of decodes alone. The limit is on tokens as they
// were padded: all prompts of a batch count as the longest one.
#include <algorithm>

#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

class VllmV0 final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    if (admit_prompts(batch)) {
      batch.hold_decodes();
    } else {
      batch.serve_decodes();
    }
  }

 private:
  // A prompt longer than the limit goes alone.
  static bool admit_prompts(BatchDraft& batch) {
    const EngineConfig& limits = batch.limits();
    const KvCache::Room room{.leave_free = watermark_blocks(limits)};
    std::int64_t prompts = 0;
    for (std::int64_t longest = 0; batch.has_candidate(); ++prompts) {
      const BatchDraft::Candidate candidate = batch.candidate();
      longest = std::max(longest, candidate.to_compute);
      if (prompts > 0 && (prompts + 1) * longest > limits.max_num_batched_tokens) {
        batch.lack_tokens();
        break;
      }
      if (!batch.admit(candidate, candidate.to_compute, room)) break;
    }
    return prompts > 0;
  }
};

}  // namespace

BatchingRuleRow vllm_v0_rule() {
  return {.name = "vllm-v0",
          .help = "vLLM before V1: prompts first, whole and alone; decodes while none fits",
          .make = made<BatchingRule, VllmV0>,
          .max_num_batched_tokens = 4096};
}

}  // namespace plimsoll
