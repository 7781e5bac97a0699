// Orca (Yu et al., OSDI 2022): scheduling by iteration. Every step serves all that run, and whoever
// fits enters at once with the whole prompt, however long. Memory is set aside for the longest
// request that is allowed, so nobody ever loses its place.
#include "engine/batching/makers.h"
#include "engine/batching/rooms.h"

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

std::unique_ptr<BatchingRule> make_orca() { return std::make_unique<Orca>(); }

}  // namespace plimsoll
