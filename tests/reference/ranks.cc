#include "reference/ranks.h"

#include <algorithm>

#include "base/units.h"

namespace plimsoll::reference {

Ranks::Ranks(int index, const EngineConfig& limits, std::int64_t ranks, const Semantics& semantics,
             const StepTimeModel& step_time, Time horizon, std::vector<RequestResult>& results)
    : limits_(limits), step_time_(step_time), loads_(static_cast<std::size_t>(ranks)) {
  EngineConfig share = limits;
  share.max_num_seqs = std::max<std::int64_t>(1, limits.max_num_seqs / ranks);
  share.max_num_batched_tokens = std::max<std::int64_t>(1, limits.max_num_batched_tokens / ranks);
  share.total_kv_blocks = std::max<std::int64_t>(1, limits.total_kv_blocks / ranks);
  for (std::int64_t i = 0; i < ranks; ++i) {
    ranks_.emplace_back(index, share, semantics, step_time, horizon, results);
  }
}

void Ranks::inject(std::size_t row, const Request& request, Time now, Instance::Part part) {
  choose(row, now).inject(row, request, now, part);
}

void Ranks::expect(std::size_t row, const Request& request, Time token, bool client_has_token,
                   Time now) {
  choose(row, now).expect(row, request, token, client_has_token, now);
}

/// One that waits counts as much as four that run. What ranks tell is known for 100 ms, and each
/// request that was sent there since counts as one that waits.
Instance& Ranks::choose(std::size_t row, Time now) {
  if (now - told_ >= milliseconds(100)) {
    told_ = now;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::int64_t waiting = ranks_[i].queue_length() + ranks_[i].coming();
      loads_[i] = 4 * waiting + ranks_[i].batch_length();
    }
  }
  std::size_t least = 0;
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    if (loads_[i] < loads_[least]) least = i;
  }
  loads_[least] += 4;
  went_to_[row] = least;
  return ranks_[least];
}

std::vector<Message> Ranks::take_messages() {
  std::vector<Message> all;
  for (Instance& rank : ranks_) {
    for (const Message& message : rank.take_messages()) all.push_back(message);
  }
  return all;
}

std::int64_t Ranks::sum(std::int64_t (Instance::*figure)() const) const {
  std::int64_t all = 0;
  for (const Instance& rank : ranks_) all += (rank.*figure)();
  return all;
}

Time Ranks::clock() const {
  Time latest;
  for (const Instance& rank : ranks_) latest = std::max(latest, rank.clock());
  return latest;
}

std::vector<std::set<HashChain>> Ranks::cached_content() const {
  std::vector<std::set<HashChain>> by_rank;
  for (const Instance& rank : ranks_) by_rank.push_back(rank.cached_content());
  return by_rank;
}

// ---- what happens

std::optional<Instance::Due> Ranks::next_due() const {
  std::optional<Instance::Due> earliest;
  for (const Instance& rank : ranks_) {
    const std::optional<Instance::Due> due = rank.next_event();
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

std::optional<Time> Ranks::next_event() const {
  const std::optional<Instance::Due> due = next_due();
  if (!due) return std::nullopt;
  return due->time;
}

void Ranks::process_next_event() {
  const Instance::Due due = *next_due();
  if (due.kind == Instance::EventKind::step) return begin_step(due);
  for (Instance& rank : ranks_) {
    if (rank.next_event() == due) return rank.process_next_event();
  }
}

/// On all ranks that are due.
void Ranks::begin_step(const Instance::Due& due) {
  const bool wait = prompts_have_to_wait();
  due_.clear();
  in_step_.clear();
  shapes_.clear();
  for (Instance& rank : ranks_) {
    rank.let_prompts_wait(wait);
    shapes_.emplace_back();
    if (rank.next_event() != due) continue;
    due_.push_back(&rank);
    if (!rank.begin_step()) continue;
    in_step_.push_back(&rank);
    shapes_.back() = rank.shape();
  }
  if (!in_step_.empty()) run_step(due.time);
  for (Instance* rank : due_) rank->find_homes();
}

void Ranks::run_step(Time now) {
  const Duration step = time(shapes_);
  const bool has_prompts = std::any_of(shapes_.begin(), shapes_.end(), [](const BatchShape& shape) {
    return shape.prefill_tokens > 0;
  });
  const Duration stall = has_prompts ? part_of_prompts(step) : Duration{};
  for (const BatchShape& shape : shapes_) {
    counters_.prefill_tokens += shape.prefill_tokens;
    counters_.decode_tokens += shape.decode_requests;
  }
  ++counters_.steps;
  counters_.busy += step;
  if (has_prompts) counters_.prefill_busy += step;
  counters_.prefill_work += stall;
  counters_.batch_request_steps += batch_length();
  counters_.queued_request_steps += queue_length();
  const std::int64_t used = used_blocks();
  counters_.peak_kv_blocks = std::max(counters_.peak_kv_blocks, used);
  kv_block_ns_ += used * step.ns;
  for (Instance* rank : in_step_) rank->run_step(step, stall);
  if (ranks_.size() == 1) return;
  for (Instance& rank : ranks_) rank.wait_until(now + step);  // for the others
}

/// What the step takes longer than its decodes alone would.
Duration Ranks::part_of_prompts(Duration step) const {
  if (std::none_of(shapes_.begin(), shapes_.end(),
                   [](const BatchShape& shape) { return shape.decode_requests > 0; })) {
    return step;
  }
  std::vector<BatchShape> alone;
  for (const BatchShape& shape : shapes_) {
    alone.push_back(
        {.decode_requests = shape.decode_requests, .decode_context = shape.decode_context});
  }
  return std::max(step - time(alone), Duration{});
}

/// While all ranks decode, the prompts of some wait for those of the others, but not for ever.
bool Ranks::prompts_have_to_wait() {
  if (limits_.prompt_wait_steps == 0) return false;
  const bool all_decode = std::all_of(ranks_.begin(), ranks_.end(),
                                      [](const Instance& rank) { return rank.decodes(); });
  const bool all_could_prefill = std::all_of(
      ranks_.begin(), ranks_.end(), [](const Instance& rank) { return rank.could_prefill(); });
  if (!all_decode || all_could_prefill) {
    waited_ = 0;
  } else {
    waited_ = (waited_ + 1) % limits_.prompt_wait_steps;
  }
  return waited_ > 0;
}

Duration Ranks::time(const std::vector<BatchShape>& shapes) const {
  const double us =
      shapes.size() == 1 ? step_time_.step_us(shapes.front()) : step_time_.ranks_us(shapes);
  return std::max(duration_from_us(us), microseconds(1));
}

/// What happened to requests is the sum over all ranks, steps are theirs together, and a lack of
/// room counts as far as all of them have it.
InstanceResult Ranks::result() const {
  using R = InstanceRecord;
  InstanceResult all;
  InstanceRecord& counters = all.counters;
  counters = counters_;
  all.kv_block_ns = kv_block_ns_;
  const auto lacks = {&R::short_of_blocks, &R::short_of_places, &R::short_of_tokens,
                      &R::short_of_turns};
  for (const Instance& rank : ranks_) {
    const InstanceResult own = rank.result();
    for (std::int64_t R::*count :
         {&R::completed, &R::length_capped, &R::timed_out, &R::dropped, &R::evicted,
          &R::handed_over, &R::still_queued, &R::still_running, &R::total_input_tokens,
          &R::total_output_tokens, &R::preemptions, &R::kv_allocation_failures,
          &R::cache_hit_blocks, &R::cache_miss_blocks, &R::total_kv_blocks}) {
      counters.*count += own.counters.*count;
    }
    for (std::int64_t R::*lack : lacks) counters.*lack += own.counters.*lack;
    counters.end = std::max(counters.end, own.counters.end);
    all.itl.insert(all.itl.end(), own.itl.begin(), own.itl.end());
    all.batch_sizes.insert(all.batch_sizes.end(), own.batch_sizes.begin(), own.batch_sizes.end());
    all.queue_lengths.insert(all.queue_lengths.end(), own.queue_lengths.begin(),
                             own.queue_lengths.end());
  }
  for (std::int64_t R::*lack : lacks) counters.*lack /= std::ssize(ranks_);
  return all;
}

}  // namespace plimsoll::reference
