// The two halves of a request that is not answered where its prompt is computed: the one ends with
// the prefill and keeps its KV blocks, the other begins with their arrival.
#include "engine/handoff.h"

#include <algorithm>
#include <cassert>

#include "engine/instance.h"

namespace plimsoll {

void Instance::hand_over(Slot slot, Time now) {
  Sequence& s = sequences_[slot];
  ++record_.handed_over;
  results_.phases[s.row].prefill = now - s.admitted;
  remove_from_batch(slot);
  if (step_end_ <= horizon_) note_event(step_end_);
  s.state = SequenceState::held;
  s.tied = false;
  ++s.epoch;
  handoffs_.push_back({.kind = HandoffNotice::Kind::prefilled,
                       .row = s.row,
                       .slot = slot,
                       .token = s.request.arrival + s.first_token,
                       .prefill = now - s.admitted});
  drop_void_timeouts();
}

void Instance::release_prompt(Slot slot, Time now) {
  Sequence& s = sequences_[slot];
  assert(s.state == SequenceState::held);
  cache_.release(s.kv, s.request, s.computed, s.unclaimed);
  s.state = SequenceState::gone;
  ++s.epoch;
  free_slots_.push_back(slot);
  wake(now);
}

Instance::Slot Instance::expect_prompt(const Request& request, std::uint32_t row, Time token,
                                       bool client_has_token, Time now) {
  const Slot slot = open(request, row, Part::decode);
  Sequence& s = sequences_[slot];
  s.state = SequenceState::homeless;
  s.tied = true;
  s.since = now;
  s.first_token = token - request.arrival;
  s.last_token = token;
  if (semantics_.decode_makes_first_token && !client_has_token) s.generated_before = -1;
  s.prefill_target = request.input_tokens + s.generated_before;
  if (semantics_.transfers_time_out) arm_deadline(slot, now);
  homeless_.push_back(slot);
  note_event(now);
  give_room(now);
  return slot;
}

// First come, first served; as in vLLM nobody is given room while the batch is full.
void Instance::give_room(Time now) {
  const bool waits = semantics_.decode_waits_for_blocks;
  while (!homeless_.empty() && !(waits && is_full())) {
    const Slot slot = homeless_.front();
    Sequence& s = sequences_[slot];
    std::int64_t blocks = 0;
    const bool fits = take_room(s, &blocks);
    if (!fits && waits) return;
    homeless_.pop_front();
    if (!fits) {
      drop_homeless(slot, now);
      continue;
    }
    HandoffTimes times = handoff_of(s);
    times.wait = now - s.since;
    note_handoff(s, times);
    s.state = SequenceState::receiving;
    s.since = now;
    handoffs_.push_back(
        {.kind = HandoffNotice::Kind::has_room, .row = s.row, .slot = slot, .blocks = blocks});
  }
}

// Claims what is cached of the prompt and takes room for the rest, `blocks` of them, and for the
// first token after them: those that have come could else hold all blocks, and nobody begin.
bool Instance::take_room(Sequence& s, std::int64_t* blocks) {
  const std::int64_t all = cache_.blocks_between(0, s.request.input_tokens);
  if (!semantics_.decode_keeps_prefixes) {
    *blocks = all;
    s.computed = s.prefill_target;
    return cache_.admit(s.kv, s.request, 0, s.prefill_target, {});
  }
  if (prefixes_are_cached_) cache_.add_prefix(s.request);
  const std::int64_t cached =
      std::min(cache_.cached_blocks(s.kv), s.prefill_target / config_.block_size);
  *blocks = all - cached;
  s.computed = cached * config_.block_size;
  const KvCache::Room room{.set_aside = cache_.blocks_between(0, s.prefill_target + 1)};
  return cache_.admit(s.kv, s.request, cached, s.computed, room);
}

// As a result the reference gives it what is known of it.
void Instance::drop_homeless(Slot slot, Time now) {
  const Sequence& s = sequences_[slot];
  results_.ttft[s.row] = s.first_token;
  results_.e2e[s.row] = now - s.request.arrival;
  drop(slot, Reason::kv_cache, now);
}

// The reference has times for an answer that is not finished when its client's time is up.
void Instance::give_up(Slot slot) {
  const Sequence& s = sequences_[slot];
  if (semantics_.transfers_time_out) return;
  if (results_.ttft[s.row] == kNoDuration) results_.ttft[s.row] = s.first_token;
  results_.e2e[s.row] = s.request.deadline - s.request.arrival;
}

void Instance::prompt_arrived(Slot slot, Time now) {
  Sequence& s = sequences_[slot];
  assert(s.state == SequenceState::receiving);
  if (s.computed < s.prefill_target) {
    [[maybe_unused]] const bool had_room = cache_.extend_prompt(s.kv, s.computed, s.prefill_target);
    assert(had_room);
  }
  s.computed = s.prefill_target;
  HandoffTimes times = handoff_of(s);
  times.transfer = now - s.since;
  note_handoff(s, times);
  s.has_prompt = true;
  s.tied = false;
  s.since = now;
  s.state = SequenceState::waiting;
  // Those who wait for its blocks to be free must not keep it from its turn.
  if (semantics_.decode_waits_for_blocks) {
    queue_.push_first(slot);
  } else {
    queue_.push_back(slot, s.queue_key());
  }
  if (!semantics_.transfers_time_out) arm_deadline(slot, now);
  note_event(now);
  wake(now);
  give_room(now);  // others share what came
}

// Its next token is a decode like any other. That token may be the last one of the prompt, whose
// block others can ask for.
bool Instance::admit_with_prompt(Slot slot) {
  Sequence& s = sequences_[slot];
  const std::int64_t held = s.prefill_target;
  if (!cache_.extend_prompt(s.kv, held, held + 1)) {
    shortage_ = Shortage::blocks;
    return false;
  }
  queue_.pop_front();
  s.admission = admissions_++;
  s.admission_clock = decoding_.clock();
  s.granted = 1;
  --budget_;
  shape_.decode_requests += 1;
  shape_.decode_context += held;
  running_.push_back(slot);
  running_admissions_.push_back(s.admission);
  HandoffTimes times = handoff_of(s);
  times.queue = decided_at_ - s.since;
  note_handoff(s, times);
  s.first_admitted = decided_at_;
  note_admission(s, 0, decided_at_);
  s.state = SequenceState::decoding;
  decoding_.join(s);
  plan_finish(slot);
  beginning_.push_back(slot);
  return true;
}

// Of sequences that had their first decode step.
void Instance::begin_answers(Duration gap) {
  std::erase_if(beginning_, [&](Slot slot) {
    Sequence& s = sequences_[slot];
    if (std::ranges::find(missed_, slot) != missed_.end()) return false;
    const Time token = step_end_ + output_token_;
    if (!semantics_.decode_makes_first_token) {
      results_.ttft[s.row] = s.admitted - s.request.arrival + gap;
      if (s.has_prompt) s.first_token = s.admitted - s.request.arrival;
    } else if (s.generated_before < 0) {
      s.first_token = token - s.request.arrival;
      results_.ttft[s.row] = s.first_token;
    } else {
      record_.itl.add(token - s.last_token, 1);
    }
    tell(s, Moment::token, token);
    return true;
  });
}

}  // namespace plimsoll
