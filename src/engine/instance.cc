#include "engine/instance.h"

#include <cassert>
#include <utility>

namespace plimsoll {
Instance::Instance(const EngineConfig& config, const StepTimeModel& model,
                   const Semantics& semantics, Time horizon, RequestTable& results)
    : config_(config),
      model_(model),
      semantics_(semantics),
      horizon_(horizon),
      results_(results),
      output_token_(duration_from_us(model.output_token_us())),
      post_decode_(duration_from_us(model.post_decode_us())),
      rule_(make_policy(batching_rules(), config.batching_rule, config.parameters)),
      answers_set_aside_(batching_rule(config.batching_rule).sets_aside != SetsAside::nothing),
      preemption_(make_policy(preemption_rules(), config.preemption, config.parameters)),
      queue_(make_policy(schedulers(), config.scheduler, config.parameters)),
      cache_(config.total_kv_blocks, config.block_size, config.prefix_caching,
             semantics.one_token_answer_blocks_cached, semantics.copies_stay_found),
      decoding_(config.block_size) {
  record_.total_kv_blocks = config.total_kv_blocks;
  record_.max_num_seqs = config.max_num_seqs;
  record_.whole_prompts =
      !config.chunked_prefill || !batching_rule(config.batching_rule).chunks_prompts;
  record_.itl = ItlHistogram(semantics.exact_itl_counts);
  results_.delay_to_last_admission = !semantics.resume_after_preemption;
}

void Instance::inject(const Request& request, std::uint32_t row, Time now, Part part) {
  const Slot slot = open(request, row, part);
  sequences_[slot].tied = part == Part::prefill;
  const Duration delay = duration_from_us(model_.queueing_us(request.input_tokens));
  arriving_.push({now + delay, orders_++, slot});
  note_event(now);
}

Instance::Slot Instance::open(const Request& request, std::uint32_t row, Part part) {
  assert(request.input_tokens >= 0 && row < results_.size());
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<Slot>(sequences_.size()));
    sequences_.emplace_back();
  }
  const Slot slot = free_slots_.back();
  free_slots_.pop_back();
  Sequence& s = sequences_[slot];
  s.request = request;
  s.row = row;
  s.state = SequenceState::arriving;
  s.part = part;
  s.has_prompt = false;
  s.priority = config_.priorities.engine_priority(request.slo_class);
  s.prefill_target = request.input_tokens;
  s.computed = 0;
  s.unclaimed = false;
  s.generated_before = 0;
  s.stalled = {};
  s.registers_answer = false;
  cache_.open(s.kv, request);
  return slot;
}

Time Instance::next_event() const {
  const Time next = std::min(next_step_, std::min(arriving_.earliest(), timeouts_.earliest()));
  return next <= horizon_ ? next : kNever;
}

void Instance::run_next_event(Time now, Time before) {
  run_earliest(now);
  if (!homeless_.empty()) give_room(now);
  // A departure may bring a request that arrives before the leap would end, a handoff a prompt.
  if (only_decodes_ahead() && departures_.empty() && handoffs_.empty()) leap(before);
}

void Instance::run_earliest(Time now) {
  note_event(now);
  if (!arriving_.empty() && arriving_.top().at == now) {
    const Slot slot = arriving_.top().slot;
    arriving_.pop();
    enter_queue(slot, now);
  } else if (next_step_ == now) {
    run_step(now);
  } else {
    const Slot slot = timeouts_.top().slot;
    timeouts_.pop();
    run_timeout(slot, now);
  }
}

void Instance::enter_queue(Slot slot, Time now) {
  Sequence& s = sequences_[slot];
  results_.phases[s.row].gateway = now - s.request.arrival;
  tell(s, Moment::queued, now);
  if (const Reason reason = reason_to_drop(s.request, s.part); reason != Reason::none) {
    return drop(slot, reason, now);
  }
  record_.total_input_tokens += s.request.input_tokens;
  if (s.request.deadline <= now) {
    ++record_.timed_out;
    leave(slot, Outcome::timed_out, now);
    return;
  }
  if (needs_no_slot_yet(s)) {
    queue_.push_request(WaitingRequest(s.request, s.row));
    s.state = SequenceState::gone;
    free_slots_.push_back(slot);
  } else {
    s.state = SequenceState::waiting;
    queue_.push_back(slot, s.queue_key());
    arm_deadline(slot, now);
  }
  wake(now);
}

// Who comes behind others has a while to wait, and can be held as it came if only its turn takes it
// out of the queue: no deadline, no gateway, no other instance. Nobody may ask for more of it then.
bool Instance::needs_no_slot_yet(const Sequence& s) const {
  return queue_.keeps_order() && !queue_.empty() && s.part == Part::whole && !watched_ &&
         !s.request.awaited && log_ == nullptr && !can_time_out(s.request.deadline);
}

Instance::Slot Instance::first_in_queue() {
  if (const WaitingRequest* first = queue_.first_without_slot()) {
    const Slot slot = open(first->request(), first->row, Part::whole);
    sequences_[slot].state = SequenceState::waiting;
    queue_.give_slot(slot);
  }
  return queue_.front();
}

void Instance::arm_deadline(Slot slot, Time now) {
  const Sequence& s = sequences_[slot];
  if (!can_time_out(s.request.deadline)) return;
  timeouts_.push({std::max(s.request.deadline, now), orders_++, slot, s.row});
}

// The guards of the wait queue. They know the client's budget, not the true length of the answer,
// but for a request that the cache can never hold whole.
Reason Instance::reason_to_drop(const Request& request, Part part) const {
  const std::int64_t limit = config_.max_model_len;
  const std::int64_t input = request.input_tokens;
  std::int64_t budget = request.max_output_tokens;
  if (budget < 0) return Reason::too_long;
  if (limit > 0) {
    if (input >= limit) return Reason::too_long;
    if (budget == 0) budget = limit - input;
    if (input + budget > limit) return Reason::too_long;
  }
  std::int64_t tokens = input;
  if (semantics_.refuse_what_can_never_fit && part != Part::prefill) {
    const std::int64_t decoded = std::max<std::int64_t>(request.output_tokens, 1) - 1;
    tokens = limit > 0 ? std::min(input + decoded, limit - 1) : input + decoded;
  }
  const bool fits = cache_.blocks_between(0, tokens) <= cache_.total_blocks();
  return fits ? Reason::none : Reason::kv_cache;
}

void Instance::drop(Slot slot, Reason reason, Time at) {
  ++record_.dropped;
  results_.reason.set(sequences_[slot].row, reason, results_.size());
  leave(slot, Outcome::dropped, at);
}

void Instance::run_timeout(Slot slot, Time now) {
  ++record_.timed_out;
  withdraw(slot);
  if (sequences_[slot].part == Part::decode) give_up(slot);
  leave(slot, Outcome::timed_out, now);
  wake(now);
}

bool Instance::evict(std::uint32_t row, Time now) {
  const auto found = std::ranges::find_if(sequences_, [&](const Sequence& s) {
    return s.row == row && s.state != SequenceState::gone && s.state != SequenceState::held;
  });
  if (found == sequences_.end() || found->state == SequenceState::arriving) return false;
  const auto slot = static_cast<Slot>(found - sequences_.begin());
  ++record_.evicted;
  note_event(now);
  withdraw(slot);
  leave(slot, Outcome::shed, now);
  wake(now);
  give_room(now);
  return true;
}

// Takes a sequence that has entered the queue out of all that it is part of.
void Instance::withdraw(Slot slot) {
  Sequence& s = sequences_[slot];
  if (s.state == SequenceState::homeless) {
    std::erase(homeless_, slot);
  } else if (s.state == SequenceState::receiving) {
    cache_.release(s.kv, s.request, s.computed, false);
  } else if (s.state == SequenceState::waiting) {
    queue_.remove(slot, s.queue_key());
    if (s.has_prompt) {
      cache_.release(s.kv, s.request, s.computed, false);
    } else {
      cache_.forget(s.kv);
    }
  } else {
    std::int64_t tokens = held_tokens(s);
    if (s.state == SequenceState::finished) {
      std::erase(finished_, slot);
    } else if (planned_) {
      tokens += withdraw_grant(slot);
    }
    remove_from_batch(slot);
    std::erase(beginning_, slot);
    if (s.state == SequenceState::decoding) {
      retract_gaps(s, record_.itl);
      decoding_.leave(s);
    } else {
      std::erase(prefilling_, slot);
    }
    cache_.release(s.kv, s.request, tokens, s.unclaimed);
  }
}

void Instance::run_step(Time now) {
  if (!begin_step(now)) return;
  const Duration step = whole_step(model_.step_us(shape_));
  finish_step(now, step, shape_.prefill_tokens > 0 ? part_of_prompts(step) : Duration{});
}

bool Instance::begin_step(Time now) {
  next_step_ = kNever;
  if (semantics_.busy_until_step_ends && !finished_.empty()) clear_finished(now);
  if (!planned_) {
    if (running_.empty() && queue_.empty()) return false;
    form_batch(now);
    if (running_.empty() && !preempted_) return false;  // others hold the KV blocks
  }
  planned_ = false;
  return true;
}

void Instance::finish_step(Time now, Duration step, Duration stall) {
  execute(now, step, stall);
  retire_finished();
  if (semantics_.asynchronous_scheduling) {
    form_batch(now);
    planned_ = shape_.requests() > 0;
  }
  if (!semantics_.busy_until_step_ends) clear_finished(now);
  const bool idle = running_.empty() && queue_.empty();
  if (semantics_.busy_until_step_ends || !idle) next_step_ = step_end_;
}

// The batch that is decided but has not started goes on without the sequence. Returns how many
// tokens the sequence has room for beyond those it holds.
std::int64_t Instance::withdraw_grant(Slot slot) {
  const Sequence& s = sequences_[slot];
  if (s.state == SequenceState::prefilling) {
    if (s.granted > 0) shape_.remove_prefill(s.granted, s.context, s.prefill_target);
    return 0;  // held already
  }
  if (std::erase(missed_, slot) > 0) return 0;
  --shape_.decode_requests;
  shape_.decode_context -= s.prefill_target + decoding_.generated(s);
  return 1;
}

void Instance::leave(Slot slot, Outcome outcome, Time at) {
  Sequence& s = sequences_[slot];
  results_.end(s.row, outcome);
  const bool completed = is_completed(outcome);
  tell(s, Moment::left, completed ? s.request.arrival + results_.e2e[s.row] : at, outcome);
  if (s.request.awaited || watched_) {
    departures_.push_back({s.row, s.request.tags, at, s.request.awaited, completed,
                           results_.generated_tokens[s.row]});
  }
  if (std::exchange(s.tied, false)) {
    handoffs_.push_back({.kind = HandoffNotice::Kind::gone, .row = s.row, .slot = slot});
  }
  s.state = SequenceState::gone;
  ++s.epoch;
  ++left_;
  free_slots_.push_back(slot);
  drop_void_timeouts();
}

void Instance::drop_void_timeouts() {
  while (!timeouts_.empty()) {
    const SequenceTimeout& top = timeouts_.top();
    const Sequence& s = sequences_[top.slot];
    const bool is_here = s.state != SequenceState::gone && s.state != SequenceState::held;
    if (is_here && s.row == top.row) return;
    timeouts_.pop();
  }
}

void Instance::stand_by(Time begin, Time end, std::int64_t steps) {
  const Duration time = end - begin;
  not_before_ = end;
  record_.steps += steps;
  record_.busy += time;
  record_.queued_request_steps += queue_.size() * steps;
  record_.kv_block_us += cache_.used_blocks() * (time.ns / 1000);
}

// Of the mean length of those here; of nobody if there was none.
BatchShape Instance::lone_decode() const {
  BatchShape lone;
  const std::int64_t busy_us = record_.busy.ns / 1000;
  if (record_.batch_request_steps == 0 || busy_us == 0) return lone;
  const double blocks = static_cast<double>(record_.kv_block_us) / static_cast<double>(busy_us);
  const double batch =
      static_cast<double>(record_.batch_request_steps) / static_cast<double>(record_.steps);
  lone.decode_requests = 1;
  lone.decode_context =
      static_cast<std::int64_t>(blocks / batch * static_cast<double>(config_.block_size));
  return lone;
}

InstanceRecord Instance::record() const {
  InstanceRecord record = record_;
  record.still_queued = queue_.size() + std::ssize(homeless_);
  record.still_running =
      batch_size() + std::ranges::count(sequences_, SequenceState::receiving, &Sequence::state);
  record.cache_hit_blocks = cache_.hit_blocks();
  record.cache_miss_blocks = cache_.miss_blocks();
  record.end = end_;
  const BatchShape lone = lone_decode();
  if (lone.requests() > 0) record.lone_decode_step = whole_step(model_.step_us(lone));
  for (const Slot slot : running_) retract_gaps(sequences_[slot], record.itl);
  return record;
}

}  // namespace plimsoll
