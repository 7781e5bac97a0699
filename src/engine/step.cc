// What a step does to the sequences in it. All effects of a step take place at its start, only
// times refer to its end; in the reference's semantics requests leave at its start, too.
#include <algorithm>
#include <cassert>

#include "engine/instance.h"

namespace plimsoll {

void Instance::execute(Time now, Duration step, Duration stall) {
  assert(step.ns > 0);
  step_end_ = now + step;

  ++record_.steps;
  record_.busy += step;
  if (shape_.prefill_tokens > 0) {
    record_.prefill_busy += step;
    record_.prefill_work += stall;
  }
  record_.prefill_tokens += shape_.prefill_tokens;
  record_.decode_tokens += shape_.decode_requests;
  const std::int64_t decode_context = shape_.decode_context + shape_.decode_requests;
  record_.attended_tokens += decode_context;
  record_.kv_tokens_read += decode_context;
  if (shape_.prefill_tokens > 0) {
    // A chunk of n tokens after s: s + 1, s + 2, ... s + n.
    record_.attended_tokens +=
        shape_.prefill_tokens_context + (shape_.prefill_tokens_squared + shape_.prefill_tokens) / 2;
    record_.kv_tokens_read += shape_.prefill_context + shape_.prefill_tokens;
  }
  record_.batch_request_steps += batch_size();
  record_.queued_request_steps += queue_.size();
  record_.peak_kv_blocks = std::max(record_.peak_kv_blocks, cache_.used_blocks());
  record_.kv_block_us += cache_.used_blocks() * (step.ns / 1000);

  if (log_ != nullptr) {
    log_->steps(index_, {now, step, 1, shape_.prefill_tokens, shape_.prefill_requests,
                         shape_.decode_requests, batch_size(), queue_.size(), used_kv_blocks()});
  }
  if (shape_.decode_requests > 0) {
    const Duration gap = semantics_.true_gaps ? step : step + output_token_;
    advance_decodes(gap, stall);
    if (!beginning_.empty()) begin_answers(gap);
  } else if (semantics_.true_gaps) {
    hold_up_decodes(step, stall);
  }
  finish_prefills();
}

// What the step takes longer than its decodes alone would.
Duration Instance::part_of_prompts(Duration step) const {
  if (shape_.decode_requests == 0) return step;
  BatchShape decodes;
  decodes.decode_requests = shape_.decode_requests;
  decodes.decode_context = shape_.decode_context;
  return step - std::min(step, whole_step(model_.step_us(decodes)));
}

void Instance::advance_decodes(Duration gap, Duration stall) {
  count_gaps(gap);
  if (!semantics_.true_gaps) decoding_.log_gap(gap);
  decoding_.advance(1, gap, stall);
  for (const Slot slot : missed_) miss_step(slot, gap, stall);
  if (!semantics_.true_gaps) forget_gaps();
}

// A step of prompts alone: for those that decode it is a longer wait for the next token. (The
// reference leaves it out: their clock stands still.)
void Instance::hold_up_decodes(Duration step, Duration stall) {
  for (const Slot slot : missed_) {
    sequences_[slot].gap_so_far += step;
    sequences_[slot].stall_so_far += stall;
  }
  behind_ = missed_;
}

void Instance::count_gaps(Duration gap) {
  std::int64_t alike = shape_.decode_requests;
  const bool uneven = !behind_.empty() || !missed_.empty();
  if (uneven && semantics_.true_gaps) alike -= count_longer_gaps(gap);
  if (semantics_.true_gaps) alike -= std::ssize(beginning_);  // see begin_answers()
  if (alike > 0) record_.itl.add(gap, alike);
}

// Sequences that waited for this token longer than one step are counted one by one. Returns how
// many there were.
std::int64_t Instance::count_longer_gaps(Duration gap) {
  std::int64_t longer = 0;
  for (const Slot slot : behind_) {
    Sequence& s = sequences_[slot];
    const bool served = missed_.empty() || s.granted > 0;
    if (s.state != SequenceState::decoding || s.gap_so_far == Duration{} || !served) continue;
    record_.itl.add(gap + s.gap_so_far, 1);
    s.gap_so_far = {};
    s.stalled += s.stall_so_far;
    s.stall_so_far = {};
    ++longer;
  }
  behind_ = missed_;
  return longer;
}

// Undoes the step for a sequence that got no token in it.
void Instance::miss_step(Slot slot, Duration gap, Duration stall) {
  Sequence& s = sequences_[slot];
  decoding_.miss(s, gap, stall);
  if (!semantics_.true_gaps) s.missed_clocks.push_back(decoding_.clock() - 1);
  plan_finish(slot);
}

// The step that ends a prefill yields a token.
void Instance::finish_prefills() {
  finished_.clear();
  if (prefilling_.empty()) return;
  std::erase_if(prefilling_, [this](Slot slot) {
    Sequence& s = sequences_[slot];
    if (s.computed < s.prefill_target) return false;
    const Time token = step_end_ + output_token_;
    if (s.part != Part::prefill) tell(s, Moment::token, token);
    if (s.part == Part::prefill) {
      s.first_token = token - s.request.arrival;
    } else if (s.generated_before == 0) {
      s.first_token = token - s.request.arrival;
      results_.ttft[s.row] = s.first_token;
      results_.phases[s.row].prefill = token - s.admitted;
    } else {
      record_.itl.add(token - s.last_token, 1);
      results_.phases[s.row].preemption += token - s.last_token;
    }
    if (decodes_left(s) == 0) {
      finished_.push_back(slot);
    } else {
      start_decoding(slot);
    }
    return true;
  });
}

void Instance::start_decoding(Slot slot) {
  Sequence& s = sequences_[slot];
  s.state = SequenceState::decoding;
  decoding_.join(s);
  plan_finish(slot);
  if (s.part == Part::decode && !semantics_.decode_makes_first_token) beginning_.push_back(slot);
}

void Instance::plan_finish(Slot slot) {
  const Sequence& s = sequences_[slot];
  finishes_.push({s.joined + decodes_left(s), slot, s.epoch});
}

// Sequences that reached their last token leave the sums; place and blocks are kept until
// clear_finished(). In batch order: the order in which blocks return.
void Instance::retire_finished() {
  while (!finishes_.empty() && finishes_.top().clock <= decoding_.clock()) {
    const SequenceFinish finish = finishes_.top();
    finishes_.pop();
    if (sequences_[finish.slot].epoch == finish.epoch) finished_.push_back(finish.slot);
  }
  if (finished_.empty()) return;
  std::ranges::sort(finished_, {}, [this](Slot slot) { return sequences_[slot].admission; });
  for (const Slot slot : finished_) {
    Sequence& s = sequences_[slot];
    s.computed = held_tokens(s);
    if (s.state == SequenceState::decoding) {
      s.generated_before += decoding_.generated(s);
      decoding_.leave(s);
    }
    s.state = SequenceState::finished;
  }
}

void Instance::write_results(Sequence& s) {
  const std::int64_t gaps = s.generated_before;
  const std::int64_t wanted = s.request.output_tokens;
  const std::int64_t output = std::min(gaps + 1, wanted);
  s.capped = gaps < wanted - 1;

  Duration gap_sum;
  if (semantics_.true_gaps) {
    gap_sum = step_end_ + output_token_ - s.request.arrival - s.first_token;
  } else if (gaps > 0) {
    gap_sum = decoding_.gaps() - s.gaps_before - s.gaps_missed;
  }
  results_.generated_tokens[s.row] = static_cast<std::int32_t>(output);
  results_.itl_sum[s.row] = gap_sum;
  results_.itl_count[s.row] = static_cast<std::int32_t>(gaps);
  results_.e2e[s.row] = s.first_token + gap_sum + (wanted > 0 ? post_decode_ : Duration{});
  results_.phases[s.row].prefill_stall = s.stalled;
  record_.total_output_tokens += output;
  record_.completed += 1;
  record_.length_capped += s.capped ? 1 : 0;
}

void Instance::clear_finished(Time now) {
  for (const Slot slot : finished_) {
    Sequence& s = sequences_[slot];
    if (s.part == Part::prefill) {
      hand_over(slot, now);
      continue;
    }
    write_results(s);
    std::int64_t tokens = s.computed;
    const bool lacks_last = tokens < s.request.input_tokens + s.request.output_tokens;
    if (semantics_.last_token_takes_room && !s.capped && s.request.output_tokens > 0 &&
        (lacks_last || s.part != Part::decode)) {
      const std::int64_t blocks = cache_.blocks_between(tokens, tokens + 1);
      if (take_answer_blocks(blocks)) {
        ++tokens;
      } else {
        ++record_.kv_allocation_failures;
      }
    }
    cache_.release(s.kv, s.request, tokens, s.unclaimed);
    if (step_end_ <= horizon_) note_event(step_end_);
    remove_from_batch(slot);
    const Time at = semantics_.clients_wait_for_last_token ? s.request.arrival + results_.e2e[s.row]
                                                           : step_end_;
    leave(slot, s.capped ? Outcome::length_capped : Outcome::completed, at);
  }
  finished_.clear();
}

void Instance::remove_from_batch(Slot slot) { remove_running(position_in_batch(sequences_[slot])); }

void Instance::forget_gaps() {
  decoding_.forget_gaps(sequences_[running_.front()].admission_clock);
}

/// Tokens in the KV blocks of a sequence in the batch.
std::int64_t Instance::held_tokens(const Sequence& s) const {
  if (s.state == SequenceState::decoding) {
    return s.held_at_join + decoding_.generated(s) + (one_by_one_ ? s.granted : 0);
  }
  return s.unclaimed && s.state != SequenceState::finished ? 0 : s.computed;
}

/// Decode steps after the current prefill: one for each token but those generated before and the
/// one the prefill yields, or as many as the maximum length allows.
std::int64_t Instance::decodes_left(const Sequence& s) const {
  if (s.part == Part::prefill) return 0;
  const std::int64_t wanted = std::max<std::int64_t>(s.request.output_tokens, 1);
  std::int64_t left = wanted - 1 - s.generated_before;
  if (s.has_prompt && !semantics_.decode_makes_first_token) left = std::max<std::int64_t>(left, 1);
  return config_.max_model_len > 0 ? std::min(left, config_.max_model_len - 1 - s.prefill_target)
                                   : left;
}

}  // namespace plimsoll
