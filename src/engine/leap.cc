// The leap: while nothing but decoding lies ahead and the batch keeps its members, a step differs
// from the one before only in its context and in the blocks it takes, so a tight loop over a few
// sums does what run_step() would, to the last integer.
#include <algorithm>

#include "engine/instance.h"

namespace plimsoll {

bool Instance::only_decodes_ahead() const {
  const bool nobody_enters = queue_.empty() || batch_size() >= config_.max_num_seqs;
  return decoding_ > 0 && decoding_ == batch_size() && nobody_enters && missed_.empty() &&
         behind_.empty() && registering_ == 0 && decoding_ <= config_.max_num_batched_tokens &&
         planned_ == semantics_.asynchronous_scheduling;
}

// The step in which the first sequence gets its last token is left to run_step(), and so is one for
// which there are not enough blocks.
void Instance::leap(Time before) {
  const std::int64_t most = steps_to_first_finish() - 1;
  Time limit = before;
  if (!arriving_.empty()) limit = std::min(limit, arriving_.top().at);
  if (!timeouts_.empty()) limit = std::min(limit, timeouts_.top().at);
  if (horizon_ != kNever) limit = std::min(limit, Time{horizon_.ns + 1});

  // A synchronous step takes its blocks when it starts, an asynchronous one those of the next step.
  const bool ahead = semantics_.asynchronous_scheduling;
  const bool log_gaps = !semantics_.true_gaps;
  const Duration extra = log_gaps ? output_token_ : Duration{};
  const std::int64_t members = decoding_;
  std::size_t due = residue_due();
  if (ahead) due = residue_after(due);
  const std::int64_t free = cache_.free_blocks();
  const std::int64_t used_before = cache_.used_blocks();
  BatchShape shape;
  shape.decode_requests = members;
  shape.decode_context = decode_context_;

  Time start = next_step_;
  Time last_start = start;
  std::int64_t taken = 0;
  std::int64_t used = 0;
  std::int64_t block_us = 0;
  std::int64_t done = 0;
  Duration alike;  // that the latest steps lasted
  std::int64_t steps_alike = 0;
  for (; done < most && start < limit; ++done) {
    const std::int64_t blocks = residues_[due];
    if (taken + blocks > free) break;
    due = residue_after(due);
    const Duration step = whole_step(model_.step_us(shape));
    used = used_before + taken + (ahead ? 0 : blocks);
    block_us += used * (step.ns / 1000);
    taken += blocks;
    if (step != alike) {
      if (steps_alike > 0) record_.itl.add(alike + extra, members * steps_alike);
      alike = step;
      steps_alike = 0;
    }
    ++steps_alike;
    if (log_gaps) gap_log_.push_back(step + extra);
    shape.decode_context += members;
    last_start = start;
    start = start + step;
  }
  if (done == 0) return;
  record_.itl.add(alike + extra, members * steps_alike);
  cache_.take(taken);
  note_event(last_start);

  record_.steps += done;
  record_.busy += start - next_step_;
  record_.decode_tokens += members * done;
  record_.batch_request_steps += batch_size() * done;
  record_.peak_kv_blocks = std::max(record_.peak_kv_blocks, used);
  record_.kv_block_us += block_us;
  gap_total_ += start - next_step_ + extra * done;
  decode_clock_ += done;
  decode_context_ = shape.decode_context;
  next_step_ = start;
  step_end_ = start;
  if (planned_) shape_ = shape;
  if (log_gaps) trim_gap_log();
}

std::int64_t Instance::steps_to_first_finish() {
  while (sequences_[finishes_.top().slot].epoch != finishes_.top().epoch) finishes_.pop();
  return finishes_.top().clock - decode_clock_;
}

}  // namespace plimsoll
