// The leap: while nothing but decoding lies ahead and the batch keeps its members, steps differ
// only in their context and in the blocks they take. Steps of equal duration are advanced together;
// the result is the same, to the last integer, as that of running them one by one.
#include <algorithm>
#include <cmath>

#include "engine/instance.h"

namespace plimsoll {

bool Instance::only_decodes_ahead() const {
  const bool nobody_enters = queue_.empty() || batch_size() >= config_.max_num_seqs;
  return decoding_ > 0 && decoding_ == batch_size() && nobody_enters && missed_.empty() &&
         behind_.empty() && registering_ == 0 && decoding_ <= config_.max_num_batched_tokens &&
         planned_ == semantics_.asynchronous_scheduling;
}

void Instance::leap(Time before) {
  while (!finishes_.empty() && sequences_[finishes_.top().slot].epoch != finishes_.top().epoch) {
    finishes_.pop();
  }
  Time limit = before;
  if (!arriving_.empty()) limit = std::min(limit, arriving_.top().at);
  if (!timeouts_.empty()) limit = std::min(limit, timeouts_.top().at);
  if (horizon_ != kNever) limit = std::min(limit, Time{horizon_.ns + 1});
  leap_growth_us_ = decode_us(decode_context_ + decoding_) - decode_us(decode_context_);
  // The step in which the first sequence gets its last token is left to run_step().
  for (;;) {
    const std::int64_t steps = finishes_.top().clock - decode_clock_ - 1;
    if (steps <= 0 || next_step_ >= limit || !leap_alike(limit, steps)) break;
  }
  if (planned_) {
    shape_ = {};
    shape_.decode_requests = decoding_;
    shape_.decode_context = decode_context_;
  }
  if (!semantics_.true_gaps) trim_gap_log();
}

// Advances steps of equal duration that start before `limit`, at most `most_steps`. False if blocks
// ran out on the way.
bool Instance::leap_alike(Time limit, std::int64_t most_steps) {
  const double first_us = decode_us(decode_context_);
  const Duration step = whole_step(first_us);
  const std::int64_t in_time = (limit - next_step_ - nanoseconds(1)).ns / step.ns + 1;
  const std::int64_t most = steps_alike(first_us, std::min(most_steps, in_time));

  // A synchronous step takes its blocks when it starts, an asynchronous one those of the next step.
  const bool ahead = semantics_.asynchronous_scheduling;
  std::size_t due = residue_due();
  if (ahead) due = residue_after(due);
  const std::int64_t used_before = cache_.used_blocks();
  std::int64_t taken = 0;
  std::int64_t used = 0;
  std::int64_t used_sum = 0;
  std::int64_t done = 0;
  for (; done < most; ++done, due = residue_after(due)) {
    const std::int64_t blocks = residues_[due];
    if (taken + blocks > cache_.free_blocks()) break;
    used = used_before + taken + (ahead ? 0 : blocks);
    used_sum += used;
    taken += blocks;
  }
  if (done == 0) return false;
  cache_.take(taken);

  record_.steps += done;
  record_.busy += step * done;
  record_.decode_tokens += decoding_ * done;
  record_.batch_request_steps += batch_size() * done;
  record_.peak_kv_blocks = std::max(record_.peak_kv_blocks, used);
  record_.kv_block_us += used_sum * (step.ns / 1000);

  const Duration gap = semantics_.true_gaps ? step : step + output_token_;
  record_.itl.add(gap, decoding_ * done);
  gap_total_ += gap * done;
  if (!semantics_.true_gaps) {
    gap_log_.insert(gap_log_.end(), static_cast<std::size_t>(done), gap);
  }
  decode_clock_ += done;
  decode_context_ += decoding_ * done;
  note_event(next_step_ + step * (done - 1));
  next_step_ = next_step_ + step * done;
  step_end_ = next_step_;
  return done == most;
}

double Instance::decode_us(std::int64_t context) const {
  BatchShape shape;
  shape.decode_requests = decoding_;
  shape.decode_context = context;
  return model_.step_us(shape);
}

// How many of the next steps, at most `most`, last as long as the first, which takes `first_us`.
// Durations never fall as the context grows, so two equal ones have only equal ones between them.
// The search starts where a model that is linear in the context leaves the microsecond.
std::int64_t Instance::steps_alike(double first_us, std::int64_t most) const {
  const Duration step = whole_step(first_us);
  const auto alike = [&](std::int64_t steps) {
    return whole_step(decode_us(decode_context_ + decoding_ * (steps - 1))) == step;
  };
  const double room_us = to_us(step + semantics_.time_grain) - first_us;
  const double linear = leap_growth_us_ > 0 ? std::ceil(room_us / leap_growth_us_) : 1e18;
  std::int64_t known = 1;          // that many are alike
  std::int64_t beyond = most + 1;  // that many are not, or too many
  std::int64_t probe =
      linear < static_cast<double>(most) ? static_cast<std::int64_t>(linear) : most;
  for (int tries = 0; beyond - known > 1; ++tries) {
    probe = tries < 2 ? std::clamp(probe, known + 1, beyond - 1) : known + (beyond - known) / 2;
    if (alike(probe)) {
      known = probe++;
    } else {
      beyond = probe--;
    }
  }
  return known;
}

std::size_t Instance::residue_after(std::size_t due) const {
  return due == 0 ? residues_.size() - 1 : due - 1;
}

}  // namespace plimsoll
