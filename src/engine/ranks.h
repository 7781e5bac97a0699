// An instance as the cluster sees it: of one rank, as most are, or of several data-parallel ranks.
// Each rank has its own requests, batch and KV cache, and an equal share of the instance's limits.
// They run their steps in lockstep, as experts are spread over all of them: a step begins on all
// ranks that have something to do, and lasts until the fullest is done
// (StepTimeModel::ranks_us()). A rank whose first request arrives meanwhile waits for the next one.
//
// Requests go to ranks as vLLM's front end has it (v1/engine/core_client.py, DPLBAsyncMPClient): to
// the one with the fewest, where one that waits counts as much as four that run, by counts that the
// ranks tell every 100 ms and by what was sent to them since. As in TensorRT-LLM, prompts of some
// ranks may wait until others have one, so that the decodes of all are held up once
// (EngineConfig::prompt_wait_steps).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "engine/instance.h"

namespace plimsoll {

/// Returns the limits of each rank of an instance: equal parts of the instance's, rounded down.
EngineConfig share_of(EngineConfig limits, std::int64_t ranks);

class Ranks {
 public:
  using Slot = Instance::Slot;

  /// `limits` are those of all `ranks` together. Otherwise as Instance has it.
  Ranks(const EngineConfig& limits, std::int64_t ranks, const StepTimeModel& model,
        const Semantics& semantics, Time horizon, RequestTable& results);
  ~Ranks();

  // All of this is as Instance has it.
  void set_log(EngineLog* log, std::int32_t index);
  void cache_prefixes();
  void watch();
  void log_cache_changes();

  void inject(const Request& request, std::uint32_t row, Time now, Part part = Part::whole) {
    (is_alone() ? first_ : rank(next_rank(now))).inject(request, row, now, part);
  }
  Slot expect_prompt(const Request& request, std::uint32_t row, Time token, bool client_has_token,
                     Time now);
  void prompt_arrived(Slot slot, Time now) { of(slot).prompt_arrived(own_slot(slot), now); }
  void release_prompt(Slot slot, Time now) { of(slot).release_prompt(own_slot(slot), now); }
  Reason reason_to_refuse(const Request& request) const { return first_.reason_to_refuse(request); }
  bool has_handoffs() const { return any<&Instance::has_handoffs>(); }
  Time next_freed_prompt() const { return earliest<&Instance::next_freed_prompt>(); }
  void take_handoffs(std::vector<HandoffNotice>* notices);

  Time next_event() const { return earliest<&Instance::next_event>(); }
  Time next_departure() { return is_alone() ? first_.next_departure() : next_event(); }
  void run_next_event(Time now, Time before) {
    if (is_alone()) return first_.run_next_event(now, before);
    run_next_event_of_all(now, before);
  }
  bool evict(std::uint32_t row, Time now);

  std::int64_t queue_depth() const { return sum<&Instance::queue_depth>(); }
  std::int64_t batch_size() const { return sum<&Instance::batch_size>(); }
  std::int64_t used_kv_blocks() const { return sum<&Instance::used_kv_blocks>(); }
  std::int64_t total_kv_blocks() const { return sum<&Instance::total_kv_blocks>(); }
  std::int64_t left() const { return sum<&Instance::left>(); }

  bool has_departures() const { return any<&Instance::has_departures>(); }
  void take_departures(std::vector<Departure>* departures);
  /// Takes the changes of one rank: blocks of the same prompt may be in the caches of several.
  void take_cache_changes(std::size_t rank, std::vector<ContentChange>* changes) {
    this->rank(rank).take_cache_changes(changes);
  }
  std::size_t num_ranks() const { return count_; }
  std::size_t rank_of(Slot slot) const { return is_alone() ? 0 : slot % count_; }

  InstanceRecord record() const;

 private:
  class StepLog;

  bool is_alone() const { return count_ == 1; }
  Instance& rank(std::size_t i) { return i == 0 ? first_ : others_[i - 1]; }
  const Instance& rank(std::size_t i) const { return i == 0 ? first_ : others_[i - 1]; }
  // Slots are numbered through, one of each rank after the other.
  Instance& of(Slot slot) { return rank(rank_of(slot)); }
  Slot own_slot(Slot slot) const { return is_alone() ? slot : slot / count_; }

  template <class Function>
  void for_each(Function function) {
    std::invoke(function, first_);
    for (Instance& rank : others_) std::invoke(function, rank);
  }
  // Each `figure` has a function of its own, which is one of the only rank's, mostly.
  template <Time (Instance::*figure)() const>
  Time earliest() const {
    if (is_alone()) return (first_.*figure)();
    Time first = kNever;
    for (std::size_t i = 0; i < count_; ++i) first = std::min(first, (rank(i).*figure)());
    return first;
  }
  template <std::int64_t (Instance::*figure)() const>
  std::int64_t sum() const {
    if (is_alone()) return (first_.*figure)();
    std::int64_t all = 0;
    for (std::size_t i = 0; i < count_; ++i) all += (rank(i).*figure)();
    return all;
  }
  template <bool (Instance::*question)() const>
  bool any() const {
    if (is_alone()) return (first_.*question)();
    for (std::size_t i = 0; i < count_; ++i) {
      if ((rank(i).*question)()) return true;
    }
    return false;
  }

  std::size_t next_rank(Time now);
  void run_next_event_of_all(Time now, Time before);
  void run_earliest(Time now);
  void run_step(Time now);
  bool prompts_may_begin() const;
  void let_prompts_wait(std::int64_t batches);
  Duration part_of_prompts(Duration step);
  void note_step(std::int64_t used_kv_blocks);
  Duration lone_decode_step(const Instance& rank) const;
  bool only_decodes_ahead() const;
  void leap(Time before);

  const std::uint32_t count_;
  const std::int64_t prompt_wait_steps_;
  Instance first_;
  std::deque<Instance> others_;

  const StepTimeModel& model_;
  std::unique_ptr<StepLog> log_;
  std::vector<std::int64_t> loads_;  ///< by rank, as the front end knows them
  Time loads_seen_;
  std::int64_t waited_ = 0;  ///< steps since the prompts of all ranks were let in

  // The state of all ranks together, where there are several.
  std::vector<BatchShape> shapes_;  ///< by rank, of the step being run
  std::vector<double> leap_us_;
  Duration prefill_busy_;
  Duration prefill_work_;
  std::int64_t peak_kv_blocks_ = 0;
};

}  // namespace plimsoll
