// NVIDIA FasterTransformer: scheduling by request. A batch starts with all prompts that fit and
// runs until its last member is done; only then the next one starts. Memory as in Orca.
#include <limits>

#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

class FasterTransformer final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    if (!batch.empty()) return batch.serve_decodes();
    while (batch.has_candidate()) {
      const BatchDraft::Candidate candidate = batch.candidate();
      const KvCache::Room room = room_for_longest(batch.limits(), candidate);
      if (!batch.admit(candidate, candidate.to_compute, room)) return;
    }
  }
  std::int64_t sure_decodes() const override { return std::numeric_limits<std::int64_t>::max(); }
};

}  // namespace

BatchingRuleRow fastertransformer_rule() {
  return {.name = "fastertransformer",
          .help = "FasterTransformer: a batch runs to its end before others enter",
          .make = made<BatchingRule, FasterTransformer>,
          .sets_aside = SetsAside::longest_request};
}

}  // namespace plimsoll
