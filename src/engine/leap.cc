// The leap: while nothing but decoding lies ahead and the batch keeps its members, a step differs
// from the one before only in its context and in the blocks it takes, so a tight loop over a few
// sums does what run_step() would, to the last integer.
#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "engine/instance.h"

namespace plimsoll {

bool Instance::only_decodes_ahead() const {
  return decoding_.count() > 0 && decoding_.count() == batch_size() && missed_.empty() &&
         behind_.empty() && beginning_.empty() && decoding_.registering() == 0 &&
         decoding_.count() <= config_.max_num_batched_tokens &&
         planned_ == semantics_.asynchronous_scheduling && batches_nobody_enters() > 0;
}

// How many of the batches to come.
std::int64_t Instance::batches_nobody_enters() const {
  if (queue_.empty() || is_full()) return std::numeric_limits<std::int64_t>::max();
  return std::max(prompts_wait_ - 1, rule_->sure_decodes());
}

struct Instance::Leap {
  std::int64_t steps = 0;
  Time end;
  Time last_start;
  std::int64_t taken = 0;     ///< KV blocks
  std::int64_t used = 0;      ///< in the last step
  std::int64_t block_us = 0;  ///< integral of used blocks
  Duration gaps;              ///< sum
};

// As many decode steps of the same batch as start before `limit` and find blocks, at most `most`.
// `price` says how long those take that follow so many.
template <class Price>
Instance::Leap Instance::run_decodes(std::int64_t most, Time limit, const Price& price) {
  // A synchronous step takes its blocks when it starts, an asynchronous one those of the next step.
  const bool ahead = semantics_.asynchronous_scheduling;
  const bool log_gaps = !semantics_.true_gaps;
  const std::int64_t extra_us = log_gaps ? output_token_.ns / 1000 : 0;
  const std::int64_t members = decoding_.count();
  std::size_t due = decoding_.residue_due();
  if (ahead) due = decoding_.residue_after(due);
  const std::int64_t free = answers_set_aside_ ? cache_.set_aside_blocks() : cache_.free_blocks();
  const std::int64_t used_before = cache_.used_blocks();

  Leap leap;
  leap.end = next_step_;
  ItlHistogram::Streak gaps(record_.itl, members);
  constexpr std::int64_t kAtFirst = 8;  // many a leap is short
  constexpr std::int64_t kAtOnce = 32;
  std::array<double, kAtOnce> priced;
  for (std::int64_t count = 0, i = 0; i == count && leap.steps < most; leap.steps += i) {
    count = std::min(leap.steps == 0 ? kAtFirst : kAtOnce, most - leap.steps);
    price(leap.steps, std::span(priced).first(static_cast<std::size_t>(count)));
    for (i = 0; i < count && leap.end < limit; ++i) {
      const std::int64_t blocks = decoding_.blocks_due(due);
      if (leap.taken + blocks > free) break;
      due = decoding_.residue_after(due);
      const std::int64_t us =
          std::max<std::int64_t>(whole_us(priced[static_cast<std::size_t>(i)]), 1);
      leap.used = used_before + leap.taken + (ahead ? 0 : blocks);
      leap.block_us += leap.used * us;
      leap.taken += blocks;
      gaps.add_us(us + extra_us);
      if (log_gaps) decoding_.log_gap(microseconds(us + extra_us));
      leap.last_start = leap.end;
      leap.end = leap.end + microseconds(us);
    }
  }
  if (answers_set_aside_) {
    leap.used = used_before;
    leap.block_us = used_before * ((leap.end - next_step_).ns / 1000);
  }
  leap.gaps = leap.end - next_step_ + microseconds(extra_us * leap.steps);
  return leap;
}

[[gnu::always_inline]] inline void Instance::account_for(const Leap& leap) {
  const Duration duration = leap.end - next_step_;
  if (log_ != nullptr) {
    log_->steps(index_, {next_step_, duration, leap.steps, 0, 0, decoding_.count(), batch_size(),
                         queue_.size(), leap.used});
  }
  take_answer_blocks(leap.taken);
  rule_->skip(leap.steps, !queue_.empty());
  note_event(leap.last_start);

  record_.steps += leap.steps;
  record_.busy += duration;
  record_.decode_tokens += decoding_.count() * leap.steps;
  const std::int64_t context =
      decoding_.context() * leap.steps + decoding_.count() * (leap.steps * (leap.steps + 1) / 2);
  record_.attended_tokens += context;
  record_.kv_tokens_read += context;
  record_.batch_request_steps += batch_size() * leap.steps;
  record_.queued_request_steps += queue_.size() * leap.steps;
  if (!queue_.empty()) (is_full() ? record_.short_of_places : record_.short_of_turns) += leap.steps;
  record_.peak_kv_blocks = std::max(record_.peak_kv_blocks, leap.used);
  record_.kv_block_us += leap.block_us;
  decoding_.advance(leap.steps, leap.gaps, {});
  next_step_ = leap.end;
  step_end_ = leap.end;
  if (planned_) shape_.decode_context = decoding_.context();
  if (!semantics_.true_gaps) forget_gaps();
}

// The step in which the first sequence gets its last token is left to run_step(), and so is one for
// which there are not enough blocks.
void Instance::leap(Time before) {
  const Time limit = undisturbed_until(before);
  if (next_step_ >= limit) return;
  const std::int64_t most = std::min(steps_to_first_finish() - 1, batches_nobody_enters());
  const auto price = [this](std::int64_t gone, std::span<double> us) {
    const std::int64_t members = decoding_.count();
    model_.decode_steps_us(members, decoding_.context() + members * gone, us);
  };
  const Leap leap = run_decodes(std::min(most, kLongestLeap), limit, price);
  if (leap.steps > 0) account_for(leap);
}

std::int64_t Instance::leap_with_others(std::span<const double> us) {
  const auto price = [us](std::int64_t gone, std::span<double> priced) {
    std::ranges::copy(us.subspan(static_cast<std::size_t>(gone), priced.size()), priced.begin());
  };
  const Leap leap = run_decodes(std::ssize(us), kNever, price);
  account_for(leap);
  not_before_ = leap.end;
  return leap.used;
}

std::int64_t Instance::steps_like_next(std::int64_t most) {
  return decodes_with_room(std::min({most, steps_to_first_finish() - 1, batches_nobody_enters()}));
}

// How many of the next decode steps find blocks, at most `most`.
std::int64_t Instance::decodes_with_room(std::int64_t most) const {
  const std::int64_t free = answers_set_aside_ ? cache_.set_aside_blocks() : cache_.free_blocks();
  std::size_t due = decoding_.residue_due();
  if (semantics_.asynchronous_scheduling) due = decoding_.residue_after(due);
  std::int64_t taken = 0;
  for (std::int64_t steps = 0; steps < most; ++steps) {
    taken += decoding_.blocks_due(due);
    if (taken > free) return steps;
    due = decoding_.residue_after(due);
  }
  return most;
}

// Is the batch as far as foreseen_ says, with the same members?
bool Instance::foresees_steps() const {
  const std::int64_t gone = decoding_.clock() - foreseen_.clock;
  if (gone < 0 || gone + 1 >= std::ssize(foreseen_.begin)) return false;
  return foreseen_.members == decoding_.count() &&
         foreseen_.context + gone * foreseen_.members == decoding_.context() &&
         foreseen_.begin[static_cast<std::size_t>(gone)] == next_step_;
}

void Instance::foresee_steps(std::int64_t most) {
  constexpr std::int64_t kAhead = 64;
  std::array<double, kAhead> all;
  const auto priced = std::span(all).first(static_cast<std::size_t>(std::min(most, kAhead)));
  foreseen_ = {decoding_.clock(), decoding_.context(), decoding_.count(),
               std::move(foreseen_.begin)};
  foreseen_.begin.assign(1, next_step_);
  model_.decode_steps_us(foreseen_.members, foreseen_.context, priced);
  for (const double us : priced) {
    foreseen_.begin.push_back(foreseen_.begin.back() +
                              microseconds(std::max<std::int64_t>(whole_us(us), 1)));
  }
}

// While a batch only decodes, its first finish is so many steps away; what enters the queue may
// leave at once.
Time Instance::next_departure() {
  if (!only_decodes_ahead()) return next_event();
  const std::int64_t to_finish = std::min(steps_to_first_finish() - 1, batches_nobody_enters());
  if (!foresees_steps()) foresee_steps(to_finish);
  const std::int64_t gone = decoding_.clock() - foreseen_.clock;
  const std::int64_t last = std::min(gone + to_finish, std::ssize(foreseen_.begin) - 1);
  const Time entries = std::min(arriving_.earliest(), timeouts_.earliest());
  const Time next = std::min(foreseen_.begin[static_cast<std::size_t>(last)], entries);
  return next <= horizon_ ? next : kNever;
}

std::int64_t Instance::steps_to_first_finish() {
  while (sequences_[finishes_.top().slot].epoch != finishes_.top().epoch) finishes_.pop();
  return finishes_.top().clock - decoding_.clock();
}

}  // namespace plimsoll
