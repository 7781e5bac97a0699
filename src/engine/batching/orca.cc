// Orca (Yu et al., OSDI 2022): scheduling by iteration. Every step serves all that run, and whoever
// fits enters at once with the whole prompt, however long. Memory is set aside for the longest
// request that is allowed, so no request is ever preempted.
#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

class Orca final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    batch.serve_decodes();
    while (batch.has_candidate()) {
      const BatchDraft::Candidate candidate = batch.candidate();
      const KvCache::Room room = room_for_longest(batch.limits(), candidate);
      if (!batch.admit(candidate, candidate.to_compute, room)) return;
    }
  }
};

}  // namespace

BatchingRuleRow orca_rule() {
  return {
      .name = "orca",
      .help = "Orca: whole prompts together with decodes; memory reserved for the longest request",
      .make = made<BatchingRule, Orca>,
      .sets_aside = SetsAside::longest_request};
}

}  // namespace plimsoll
