// What a step does to the sequences in it. All effects of a step take place at its start; only
// times refer to its end.
#include <algorithm>

#include "engine/instance.h"

namespace plimsoll {

void Instance::execute(Time now) {
  const Duration step =
      std::max(duration_from_us(model_.step_us(shape_), semantics_.time_grain), microseconds(1));
  step_end_ = now + step;

  ++record_.steps;
  record_.busy += step;
  if (shape_.prefill_tokens > 0) record_.prefill_busy += step;
  record_.prefill_tokens += shape_.prefill_tokens;
  record_.decode_tokens += shape_.decode_requests;
  record_.batch_request_steps += batch_size();
  record_.peak_kv_blocks = std::max(record_.peak_kv_blocks, cache_.used_blocks());
  record_.kv_block_seconds += static_cast<double>(cache_.used_blocks()) * to_seconds(step);

  if (decoding_ > 0) advance_decodes(step + output_token_);
  finish_prefills();
}

void Instance::advance_decodes(Duration gap) {
  if (shape_.decode_requests > 0) record_.itl.add(gap, shape_.decode_requests);
  gap_log_.push_back(gap);
  gap_total_ += gap;
  ++decode_clock_;
  decode_context_ += decoding_;
  for (const Slot slot : missed_) miss_step(slot, gap);
  trim_gap_log();
}

// Undoes the step for a sequence that got no token in it.
void Instance::miss_step(Slot slot, Duration gap) {
  Sequence& s = sequences_[slot];
  --residues_[residue(s)];
  ++s.joined;
  ++residues_[residue(s)];
  --decode_context_;
  s.itl_missed += gap;
  s.missed_clocks.push_back(decode_clock_ - 1);
  ++s.epoch;
  plan_finish(slot);
}

// The step that ends a prefill yields the first token.
void Instance::finish_prefills() {
  finished_.clear();
  std::erase_if(prefilling_, [this](Slot slot) {
    Sequence& s = sequences_[slot];
    if (s.computed < s.request.input_tokens) return false;
    s.first_token = step_end_ + output_token_ - s.request.arrival;
    results_.ttft[s.row] = s.first_token;
    if (last_progress(s) == s.request.input_tokens) {
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
  s.joined = decode_clock_;
  s.first_clock = decode_clock_;
  s.held_at_join = s.unclaimed ? 0 : s.request.input_tokens;
  s.itl_before = gap_total_;
  s.itl_missed = {};
  s.missed_clocks.clear();
  ++decoding_;
  registering_ += s.registers_answer ? 1 : 0;
  decode_context_ += s.request.input_tokens;
  ++residues_[residue(s)];
  plan_finish(slot);
}

void Instance::stop_decoding(Sequence& s) {
  --decoding_;
  registering_ -= s.registers_answer ? 1 : 0;
  decode_context_ -= s.request.input_tokens + generated(s);
  --residues_[residue(s)];
  ++s.epoch;
}

void Instance::plan_finish(Slot slot) {
  const Sequence& s = sequences_[slot];
  finishes_.push({s.joined + last_progress(s) - s.request.input_tokens, slot, s.epoch});
}

// Sequences that reached their last token, in batch order: the order in which blocks return.
void Instance::complete_finished() {
  while (!finishes_.empty() && finishes_.top().clock <= decode_clock_) {
    const Finish finish = finishes_.top();
    finishes_.pop();
    if (sequences_[finish.slot].epoch == finish.epoch) finished_.push_back(finish.slot);
  }
  std::ranges::sort(finished_, {}, [this](Slot slot) { return sequences_[slot].admission; });
  for (const Slot slot : finished_) complete(slot);
}

void Instance::complete(Slot slot) {
  Sequence& s = sequences_[slot];
  const bool decoded = s.state == SequenceState::decoding;
  const std::int64_t decodes = decoded ? generated(s) : 0;
  const std::int64_t wanted = s.request.output_tokens;
  const bool capped = decodes < wanted - 1;

  std::int64_t tokens = held_tokens(s);
  if (!capped && wanted > 0) {  // the last token is written too, if there is room
    const std::int64_t blocks = cache_.blocks_between(tokens, tokens + 1);
    if (blocks <= cache_.free_blocks()) {
      cache_.take(blocks);
      ++tokens;
    } else {
      ++record_.kv_allocation_failures;
    }
  }
  cache_.release(s.kv, s.request, tokens, s.unclaimed);

  const Duration gaps = decoded ? gap_total_ - s.itl_before - s.itl_missed : Duration{};
  const std::int64_t output = std::min(decodes + 1, wanted);
  results_.generated_tokens[s.row] = static_cast<std::int32_t>(output);
  results_.itl_sum[s.row] = gaps;
  results_.itl_count[s.row] = static_cast<std::int32_t>(decodes);
  results_.e2e[s.row] = s.first_token + gaps + (wanted > 0 ? post_decode_ : Duration{});

  ++record_.completed;
  record_.length_capped += capped ? 1 : 0;
  record_.total_output_tokens += output;
  if (step_end_ <= horizon_) note_event(step_end_);

  remove_from_batch(slot);
  if (decoded) stop_decoding(s);
  leave(slot, capped ? Outcome::length_capped : Outcome::completed);
}

void Instance::remove_from_batch(Slot slot) {
  running_.erase(running_.begin() +
                 static_cast<std::ptrdiff_t>(position_in_batch(sequences_[slot])));
}

// Only gaps of completed requests count: those of a sequence that ends otherwise are taken back.
void Instance::retract_gaps(const Sequence& s, ItlHistogram& from) const {
  auto missed = s.missed_clocks.begin();
  for (std::int64_t clock = s.first_clock; clock < decode_clock_; ++clock) {
    if (missed != s.missed_clocks.end() && *missed == clock) {
      ++missed;
    } else {
      from.add(gap_log_[static_cast<std::size_t>(clock - gap_log_begin_)], -1);
    }
  }
}

void Instance::trim_gap_log() {
  const std::int64_t needed_from = sequences_[running_.front()].admission_clock;
  const std::int64_t dead = needed_from - gap_log_begin_;
  if (dead < 1024 || 2 * dead < static_cast<std::int64_t>(gap_log_.size())) return;
  gap_log_.erase(gap_log_.begin(), gap_log_.begin() + static_cast<std::ptrdiff_t>(dead));
  gap_log_begin_ = needed_from;
}

/// Tokens in the KV blocks of a sequence in the batch.
std::int64_t Instance::held_tokens(const Sequence& s) const {
  if (s.state == SequenceState::decoding) {
    return s.held_at_join + generated(s) + (one_by_one_ ? s.granted : 0);
  }
  return s.unclaimed ? 0 : s.computed;
}

/// Prompt and generated tokens processed when the sequence is done: all but the last token, or as
/// many as the maximum length allows.
std::int64_t Instance::last_progress(const Sequence& s) const {
  const std::int64_t input = s.request.input_tokens;
  const std::int64_t wanted = std::max<std::int64_t>(s.request.output_tokens, 1);
  const std::int64_t progress = input + wanted - 1;
  return config_.max_model_len > 0 ? std::min(progress, config_.max_model_len - 1) : progress;
}

std::size_t Instance::residue(const Sequence& s) const {
  const std::int64_t n = config_.block_size;
  return static_cast<std::size_t>(((s.held_at_join - s.joined) % n + n) % n);
}

std::size_t Instance::residue_due() const {
  const std::int64_t n = config_.block_size;
  return static_cast<std::size_t>((n - decode_clock_ % n) % n);
}

}  // namespace plimsoll
