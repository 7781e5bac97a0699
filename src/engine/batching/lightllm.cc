// LightLLM: a batch of whole prompts when nothing runs and after every ten decode steps, a batch of
// decodes otherwise. Who enters is decided by a look ahead, in tokens: at each end of a sequence,
// will what is then in use fit? That takes the lengths of the answers to be known.
#include <algorithm>
#include <vector>

#include "engine/batching/rooms.h"
#include "engine/batching_rule.h"

namespace plimsoll {
namespace {

using Member = BatchDraft::Member;

/// Most tokens that are in use at a time until the last of `members` is done. The longest-running
/// come first: when one ends, those before it have grown by as many tokens as it.
std::int64_t most_tokens(const std::vector<Member>& members) {
  std::int64_t most = 0;
  std::int64_t used = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    used += members[i].tokens;
    most = std::max(most, members[i].decodes_left * static_cast<std::int64_t>(i + 1) + used);
  }
  return most;
}

bool runs_longer(const Member& a, const Member& b) { return a.decodes_left > b.decodes_left; }

class LightLlm final : public BatchingRule {
 public:
  void form(BatchDraft& batch) override {
    if (batch.empty() || decodes_ == kDecodesBetween) {
      decodes_ = 0;
      if (admit_prompts(batch)) return batch.hold_decodes();
    }
    if (batch.decoding() > 0) ++decodes_;
    batch.serve_decodes();
  }

  std::int64_t sure_decodes() const override { return kDecodesBetween - decodes_; }
  void skip(std::int64_t batches, bool /*somebody_waits*/) override {
    decodes_ = (decodes_ + batches - 1) % kDecodesBetween + 1;
  }

 private:
  static constexpr std::int64_t kDecodesBetween = 10;

  // Who is alone is let in if there is room at all, and a prompt longer than the limit goes alone.
  static bool admit_prompts(BatchDraft& batch) {
    if (!batch.has_candidate()) return false;
    const EngineConfig& limits = batch.limits();
    std::vector<Member> members = batch.members();
    std::ranges::sort(members, runs_longer);
    std::int64_t tokens = 0;
    while (batch.has_candidate()) {
      const BatchDraft::Candidate candidate = batch.candidate();
      if (tokens > 0 && tokens + candidate.to_compute > limits.max_num_batched_tokens) {
        batch.lack_tokens();
        break;
      }
      const Member entrant{candidate.to_prefill, candidate.decodes};
      members.insert(std::ranges::upper_bound(members, entrant, runs_longer), entrant);
      const bool fits = most_tokens(members) < limits.total_kv_blocks * limits.block_size;
      if (!(fits || batch.empty())) {
        batch.lack_blocks();
        break;
      }
      if (!batch.admit(candidate, candidate.to_compute)) break;
      tokens += candidate.to_compute;
    }
    return tokens > 0;
  }

  std::int64_t decodes_ = 0;  ///< batches since the last look at the queue
};

}  // namespace

BatchingRuleRow lightllm_rule() {
  return {.name = "lightllm",
          .help = "LightLLM: prompts after every 10 decodes, if no decode will lack memory",
          .make = made<BatchingRule, LightLlm>,
          .max_num_batched_tokens = 4096,
          .block_size = 1,
          .any_block_size = false};
}

}  // namespace plimsoll
