// The leap: while nothing but decoding lies ahead and the batch keeps its members, a step differs
// from the one before only in its context and in the blocks it takes, so a tight loop over a few
// sums does what run_step() would, to the last integer.
#include <algorithm>
#include <array>
#include <span>

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
  constexpr std::int64_t kLongestLeap = 1 << 14;  // so that whoever watches the run gets a turn
  const std::int64_t most = std::min(steps_to_first_finish() - 1, kLongestLeap);
  Time limit = before;
  if (!arriving_.empty()) limit = std::min(limit, arriving_.top().at);
  if (!timeouts_.empty()) limit = std::min(limit, timeouts_.top().at);
  if (horizon_ != kNever) limit = std::min(limit, Time{horizon_.ns + 1});

  // A synchronous step takes its blocks when it starts, an asynchronous one those of the next step.
  const bool ahead = semantics_.asynchronous_scheduling;
  const bool log_gaps = !semantics_.true_gaps;
  const std::int64_t extra_us = log_gaps ? output_token_.ns / 1000 : 0;
  const std::int64_t members = decoding_;
  std::size_t due = residue_due();
  if (ahead) due = residue_after(due);
  const std::int64_t free = cache_.free_blocks();
  const std::int64_t used_before = cache_.used_blocks();

  Time start = next_step_;
  Time last_start = start;
  std::int64_t taken = 0;
  std::int64_t used = 0;
  std::int64_t block_us = 0;
  std::int64_t done = 0;
  std::int64_t alike_us = 0;  // that the latest steps lasted
  std::int64_t steps_alike = 0;
  constexpr std::int64_t kAtFirst = 8;  // many a leap is short
  constexpr std::int64_t kAtOnce = 32;
  std::array<double, kAtOnce> priced;
  for (std::int64_t count = 0, i = 0; i == count && done < most; done += i) {
    count = std::min(done == 0 ? kAtFirst : kAtOnce, most - done);
    model_.decode_steps_us(members, decode_context_ + members * done,
                           std::span(priced).first(static_cast<std::size_t>(count)));
    for (i = 0; i < count && start < limit; ++i) {
      const std::int64_t blocks = residues_[due];
      if (taken + blocks > free) break;
      due = residue_after(due);
      const std::int64_t us =
          std::max<std::int64_t>(whole_us(priced[static_cast<std::size_t>(i)]), 1);
      used = used_before + taken + (ahead ? 0 : blocks);
      block_us += used * us;
      taken += blocks;
      if (us != alike_us) {
        if (steps_alike > 0) record_.itl.add_us(alike_us + extra_us, members * steps_alike);
        alike_us = us;
        steps_alike = 0;
      }
      ++steps_alike;
      if (log_gaps) gap_log_.push_back(microseconds(us + extra_us));
      last_start = start;
      start = start + microseconds(us);
    }
  }
  if (done == 0) return;
  record_.itl.add_us(alike_us + extra_us, members * steps_alike);
  cache_.take(taken);
  note_event(last_start);

  record_.steps += done;
  record_.busy += start - next_step_;
  record_.decode_tokens += members * done;
  const std::int64_t context = decode_context_ * done + members * (done * (done + 1) / 2);
  record_.attended_tokens += context;
  record_.kv_tokens_read += context;
  record_.batch_request_steps += batch_size() * done;
  record_.queued_request_steps += queue_.size() * done;
  if (!queue_.empty()) record_.short_of_places += done;
  record_.peak_kv_blocks = std::max(record_.peak_kv_blocks, used);
  record_.kv_block_us += block_us;
  gap_total_ += start - next_step_ + microseconds(extra_us * done);
  decode_clock_ += done;
  decode_context_ += members * done;
  next_step_ = start;
  step_end_ = start;
  if (planned_) shape_.decode_context = decode_context_;
  if (log_gaps) trim_gap_log();
}

std::int64_t Instance::steps_to_first_finish() {
  while (sequences_[finishes_.top().slot].epoch != finishes_.top().epoch) finishes_.pop();
  return finishes_.top().clock - decode_clock_;
}

}  // namespace plimsoll
