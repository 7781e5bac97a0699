// The batch of a step while a batching rule forms it: what the rule may look at, and what it may
// do. A few words over the instance, which does the work (batch.cc).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/instance.h"

namespace plimsoll {

class BatchDraft {
 public:
  using Candidate = Instance::Candidate;
  using Member = Instance::Member;

  explicit BatchDraft(Instance& instance) : instance_(instance) {}

  const EngineConfig& limits() const { return instance_.config_; }
  /// Nobody has a place in the batch, not even a sequence whose last step runs.
  bool empty() const { return instance_.running_.empty(); }
  /// Sequences that have their first token and lack their last.
  std::int64_t decoding() const { return instance_.decoding_.count(); }
  /// The same, one by one.
  std::vector<Member> members() const { return instance_.members(); }
  /// The rest of max_num_batched_tokens after all that was granted so far; may be negative.
  std::int64_t tokens_left() const { return instance_.budget_; }
  /// Somebody lost its place to a decode.
  bool preempted() const { return instance_.preempted_; }

  // Whom to serve of those in the batch. Who finds no KV block takes the place of a victim.
  /// Decodes and chunks of prompts as tokens_left() allows, in order of admission.
  void serve_in_order() { instance_.serve_in_order(); }
  /// A token for each decoding sequence, whatever tokens_left() says.
  void serve_decodes() { instance_.serve_decodes(); }
  /// Chunks of prompts as tokens_left() allows; their blocks have to be set aside.
  void serve_prompts() { instance_.serve_prompts(); }
  /// No token for decoding sequences: they wait for the prompts of this step.
  void hold_decodes() { instance_.hold_decodes(); }

  // Whom to let in.
  bool somebody_waits() const { return !instance_.queue_.empty(); }
  /// Somebody waits, and there is a place.
  bool has_candidate() const {
    return !instance_.queue_.empty() && !instance_.is_full() && instance_.prompts_wait_ == 0;
  }
  /// The first in the queue, if there is one.
  Candidate candidate() { return instance_.candidate(); }
  /// The tokens of its prompt that tokens_left() allows.
  std::int64_t chunk_of(const Candidate& candidate) const {
    return instance_.prefill_grant(candidate.to_compute, instance_.budget_);
  }
  /// Lets the candidate in, with `tokens` of its prompt. False, and it goes on waiting, if blocks
  /// are short. Nothing has to be left free by one that is alone: it would wait for ever.
  bool admit(const Candidate& candidate, std::int64_t tokens, const KvCache::Room& room = {}) {
    return instance_.admit(candidate, tokens, room);
  }
  // Why the candidate is left waiting, if not for what admit() found.
  void lack_tokens() { instance_.shortage_ = Instance::Shortage::tokens; }
  void lack_blocks() { instance_.shortage_ = Instance::Shortage::blocks; }

 private:
  Instance& instance_;
};

}  // namespace plimsoll
