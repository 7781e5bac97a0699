// What a batching rule can do with the batch of the next step: serve running sequences, let others
// in. The order of both is the rule's (batching/).
#include <algorithm>
#include <cstddef>

#include "engine/batch_draft.h"
#include "engine/instance.h"

namespace plimsoll {
namespace {

// Asks the processor to fetch so many bytes from there on, which are needed soon and have not been
// looked at for long: queues and batches may be too large for its caches. Changes no result.
void prefetch(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto* line = static_cast<const char*>(from);
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(line + i);
}

}  // namespace
void Instance::form_batch(Time now) {
  decided_at_ = now;
  shape_ = {};
  budget_ = config_.max_num_batched_tokens;
  preempted_ = false;
  shortage_ = Shortage::turns;
  missed_.clear();
  BatchDraft draft(*this);
  rule_->form(draft);
  if (!queue_.empty()) count_shortage();
}

void Instance::count_shortage() {
  if (preempted_) {
    ++record_.short_of_blocks;
  } else if (is_full()) {
    ++record_.short_of_places;
  } else if (shortage_ == Shortage::tokens) {
    ++record_.short_of_tokens;
  } else if (shortage_ == Shortage::blocks) {
    ++record_.short_of_blocks;
  } else {
    ++record_.short_of_turns;
  }
}

std::int64_t Instance::prefill_grant(std::int64_t tokens, std::int64_t budget) const {
  const std::int64_t threshold = config_.long_prefill_token_threshold;
  if (threshold > 0) tokens = std::min(tokens, threshold);
  return std::min(tokens, budget);
}

void Instance::serve_in_order() {
  if (!grant_at_once()) grant_one_by_one(false);
}

void Instance::serve_decodes() {
  if (decoding_.registering() > 0 ||
      !take_answer_blocks(decoding_.blocks_due(decoding_.residue_due()))) {
    return grant_one_by_one(true);
  }
  shape_.decode_requests = decoding_.count();
  shape_.decode_context = decoding_.context();
  budget_ -= decoding_.count();
}

void Instance::serve_prompts() {
  for (const Slot slot : prefilling_) {
    Sequence& s = sequences_[slot];
    s.granted = prefill_grant(s.prefill_target - s.computed, std::max<std::int64_t>(budget_, 0));
    budget_ -= s.granted;
    compute_granted(s);
  }
}

void Instance::hold_decodes() {
  for (const Slot slot : running_) {
    if (sequences_[slot].state == SequenceState::decoding) missed_.push_back(slot);
  }
}

// The usual case, without looking at the decoding sequences: the budget reaches all of them and
// there are blocks for all. False, with nothing taken, if that is not so.
bool Instance::grant_at_once() {
  if (decoding_.registering() > 0) return false;
  std::int64_t budget = budget_;
  const std::int64_t decode_blocks = decoding_.blocks_due(decoding_.residue_due());
  std::int64_t blocks = decode_blocks;
  std::int64_t decoding_before = 0;
  bool fills_prefix = false;
  for (std::size_t i = 0; i < prefilling_.size(); ++i) {
    Sequence& s = sequences_[prefilling_[i]];
    const auto before = static_cast<std::int64_t>(position_in_batch(s) - i) -
                        std::ranges::count_if(finished_, [&](Slot slot) {
                          return sequences_[slot].admission < s.admission;
                        });
    budget -= before - decoding_before;
    decoding_before = before;
    if (budget < 0) return false;
    s.granted = prefill_grant(s.prefill_target - s.computed, budget);
    budget -= s.granted;
    blocks += cache_.blocks_between(s.computed, s.computed + s.granted);
    fills_prefix |= s.kv.shared_blocks < s.kv.shareable_blocks;
  }
  budget -= decoding_.count() - decoding_before;
  if (budget < 0 || blocks > cache_.free_blocks()) return false;
  if (fills_prefix && decode_blocks > 0 && cache_.order_matters()) return false;

  cache_.take(decode_blocks);
  for (const Slot slot : prefilling_) compute_granted(sequences_[slot]);
  shape_.decode_requests = decoding_.count();
  shape_.decode_context = decoding_.context();
  budget_ = budget;
  return true;
}

// Part of a prompt for which there are blocks.
void Instance::compute_granted(Sequence& s) {
  if (s.granted == 0) return;
  cache_.extend_prompt(s.kv, s.computed, s.computed + s.granted);
  s.context = s.computed;
  shape_.add_prefill(s.granted, s.context, s.prefill_target);
  s.computed += s.granted;
}

// Under pressure each sequence has to be looked at in turn: the budget runs out on the way, or a
// sequence takes the place of another one. Decodes alone are not limited by the budget.
void Instance::grant_one_by_one(bool decodes_alone) {
  one_by_one_ = true;
  for (const Slot slot : running_) sequences_[slot].granted = 0;
  for (std::size_t i = 0; i < running_.size() && (budget_ > 0 || decodes_alone); ++i) {
    const SequenceState state = sequences_[running_[i]].state;
    if (state == SequenceState::finished) continue;
    if (decodes_alone && state != SequenceState::decoding) continue;
    if (!grant_one(i)) break;
  }
  one_by_one_ = false;
  for (const Slot slot : running_) {
    Sequence& s = sequences_[slot];
    if (s.state == SequenceState::decoding && s.granted == 0) {
      missed_.push_back(slot);
    } else if (s.state == SequenceState::decoding) {
      ++shape_.decode_requests;
      shape_.decode_context += s.prefill_target + decoding_.generated(s);
    } else if (s.state == SequenceState::prefilling && s.granted > 0) {
      s.context = s.computed - s.granted;
      shape_.add_prefill(s.granted, s.context, s.prefill_target);
    }
  }
}

// Grants tokens to running_[index], preempting others until there is room. False if the sequence
// had to give up its own place; `index` follows it as sequences before it disappear.
bool Instance::grant_one(std::size_t& index) {
  Sequence& s = sequences_[running_[index]];
  const bool prefill = s.state == SequenceState::prefilling;
  const std::int64_t tokens = prefill ? prefill_grant(s.prefill_target - s.computed, budget_) : 1;
  while (!take_blocks(s, tokens)) {
    preempted_ = true;
    const std::size_t victim = choose_victim();
    preempt(victim);
    if (victim == index) return false;
    if (victim < index) --index;
  }
  s.granted = tokens;
  budget_ -= tokens;
  if (prefill) s.computed += tokens;
  return true;
}

bool Instance::take_blocks(Sequence& s, std::int64_t tokens) {
  if (s.state == SequenceState::prefilling) {
    return cache_.extend_prompt(s.kv, s.computed, s.computed + tokens);
  }
  const std::int64_t held = held_tokens(s);
  const std::int64_t blocks = cache_.blocks_between(held, held + tokens);
  if (!take_answer_blocks(blocks)) return false;
  if (s.registers_answer) {
    cache_.register_own_blocks(s.kv, s.request, held + tokens, s.unclaimed);
  }
  return true;
}

std::size_t Instance::choose_victim() const {
  std::size_t victim = running_.size() - 1;
  while (sequences_[running_[victim]].state == SequenceState::finished) --victim;
  if (preemption_ == nullptr) return victim;
  const auto key = [this](std::size_t i) {
    const Sequence& s = sequences_[running_[i]];
    return RunningKey{s.priority, s.request.arrival};
  };
  for (std::size_t i = victim; i-- > 0;) {
    if (sequences_[running_[i]].state == SequenceState::finished) continue;
    if (preemption_->gives_way(key(i), key(victim))) victim = i;
  }
  return victim;
}

void Instance::preempt(std::size_t index) {
  const Slot slot = running_[index];
  Sequence& s = sequences_[slot];
  ++record_.preemptions;
  results_.preemptions.set(s.row, results_.preemptions[s.row] + 1, results_.size());
  budget_ += s.granted;
  const std::int64_t tokens = held_tokens(s);
  remove_running(index);
  if (s.state == SequenceState::decoding) {
    retract_gaps(s, record_.itl);
    if (semantics_.resume_after_preemption) {
      s.generated_before += decoding_.generated(s) + 1;
      s.last_token = step_end_ + output_token_ - s.gap_so_far;
    }
    decoding_.leave(s);
    if (!semantics_.resume_after_preemption) s.stalled = {};
  } else {
    std::erase(prefilling_, slot);
  }
  s.has_prompt = false;
  std::erase(beginning_, slot);
  s.prefill_target = s.request.input_tokens + s.generated_before;
  const bool alone = running_.empty();
  const bool bounded = horizon_ != kNever || s.request.deadline != kNever;
  if (alone && !bounded && !semantics_.refuse_what_can_never_fit) {
    // It had the cache to itself and did not fit: the reference would restart it for ever.
    cache_.release(s.kv, s.request, tokens, s.unclaimed);
    drop(slot, Reason::kv_cache, step_end_);
    return;
  }
  tell(s, Moment::preempted, decided_at_);
  cache_.release_preempted(s.kv, s.request, tokens, s.prefill_target, s.unclaimed);
  s.state = SequenceState::waiting;
  s.computed = 0;
  s.granted = 0;
  s.unclaimed = false;
  s.registers_answer = s.request.reusable;
  queue_.push_front(slot, s.queue_key());
}

Instance::Candidate Instance::candidate() {
  const Slot slot = first_in_queue();
  const Sequence& s = sequences_[slot];
  if (s.has_prompt || (s.part == Part::decode && !semantics_.decode_keeps_prefixes)) {
    return {slot, 0, s.prefill_target, 1, decodes_left(s), most_tokens(s)};
  }
  if (prefixes_are_cached_) cache_.add_prefix(s.request);
  std::int64_t cached = cache_.cached_blocks(s.kv);
  if (semantics_.recompute_last_token) {
    cached = std::min(cached, (s.prefill_target - 1) / config_.block_size);
  }
  return {slot,
          cached,
          s.prefill_target,
          s.prefill_target - cached * config_.block_size,
          decodes_left(s),
          most_tokens(s)};
}

// The last token of an answer is not kept. A client that says no limit gets what it takes.
std::int64_t Instance::most_tokens(const Sequence& s) const {
  const std::int64_t allowed = s.request.input_tokens + s.request.max_output_tokens - 1;
  const std::int64_t longest = std::max(s.prefill_target + decodes_left(s), allowed);
  return config_.max_model_len > 0 ? std::min(longest, config_.max_model_len) : longest;
}

bool Instance::admit(const Candidate& candidate, std::int64_t tokens, KvCache::Room room) {
  Sequence& s = sequences_[candidate.slot];
  if (s.has_prompt) return admit_with_prompt(candidate.slot);
  if (running_.empty()) room.leave_free = 0;
  const std::int64_t begin = candidate.cached * config_.block_size;
  if (tokens > 0 && !cache_.admit(s.kv, s.request, candidate.cached, begin + tokens, room)) {
    shortage_ = Shortage::blocks;
    return false;
  }
  queue_.pop_front();
  // In a long queue the next one has not been looked at since it came.
  if (!queue_.empty() && queue_.first_without_slot() == nullptr) {
    prefetch(&sequences_[queue_.front()], sizeof(Sequence));
  }
  s.state = SequenceState::prefilling;
  s.unclaimed = tokens == 0;
  s.admission = admissions_++;
  s.admission_clock = decoding_.clock();
  s.computed = begin + tokens;
  s.granted = tokens;
  budget_ -= tokens;
  s.context = semantics_.cached_tokens_are_context ? begin : 0;
  if (tokens > 0) shape_.add_prefill(tokens, s.context, s.prefill_target);
  running_.push_back(candidate.slot);
  running_admissions_.push_back(s.admission);
  prefilling_.push_back(candidate.slot);
  note_admission(s, begin, decided_at_);
  return true;
}

std::vector<Instance::Member> Instance::members() const {
  std::vector<Member> members;
  for (const Slot slot : running_) {
    const Sequence& s = sequences_[slot];
    if (s.state != SequenceState::decoding) continue;
    members.push_back({held_tokens(s), decodes_left(s) - decoding_.generated(s)});
  }
  return members;
}

// What came before an admission without a token that counts was in vain.
void Instance::note_admission(Sequence& s, std::int64_t cached_tokens, Time now) {
  if (s.part == Part::decode) {  // its first admission was elsewhere
    s.admitted = now;
    tell(s, Moment::admitted, now);
    return;
  }
  Duration& delay = results_.scheduling_delay[s.row];
  const bool first = delay == kNoDuration;
  if (first) {
    s.first_admitted = now;
    if (cached_tokens > 0) {
      results_.cached_tokens.set(s.row, static_cast<std::int32_t>(cached_tokens), results_.size());
    }
  }
  s.admitted = now;
  tell(s, Moment::admitted, now);
  if (s.generated_before == 0) results_.phases[s.row].preemption = now - s.first_admitted;
  if (first || !semantics_.resume_after_preemption) delay = now - s.request.arrival;
}

std::size_t Instance::position_in_batch(const Sequence& s) const {
  const auto at = std::ranges::lower_bound(running_admissions_, s.admission);
  return static_cast<std::size_t>(at - running_admissions_.begin());
}

void Instance::remove_running(std::size_t index) {
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
  running_admissions_.erase(running_admissions_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace plimsoll
