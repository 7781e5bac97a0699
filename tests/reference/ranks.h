// The reference twin's instance as its cluster sees it: one rank, or several data-parallel ones
// that begin their steps together, each with its own queue, batch and cache
// (docs/explanation/scheduling.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "reference/instance.h"

namespace plimsoll::reference {

class Ranks {
 public:
  /// `limits` are those of all `ranks` together. Otherwise as Instance has it.
  Ranks(int index, const EngineConfig& limits, std::int64_t ranks, const Semantics& semantics,
        const StepTimeModel& step_time, Time horizon, std::vector<RequestResult>& results);

  // All of this is as Instance has it.
  void inject(std::size_t row, const Request& request, Time now,
              Instance::Part part = Instance::Part::whole);
  void expect(std::size_t row, const Request& request, Time token, bool client_has_token, Time now);
  void prompt_came(std::size_t row, Time now) { rank_of(row).prompt_came(row, now); }
  void let_go(std::size_t row, Time now) { rank_of(row).let_go(row, now); }
  bool could_answer(const Request& request) const { return ranks_.front().could_answer(request); }
  bool take_back(std::size_t row, Time now) {
    return went_to_.contains(row) && rank_of(row).take_back(row, now);
  }
  std::vector<Message> take_messages();

  std::optional<Time> next_event() const;
  void process_next_event();

  Time clock() const;
  std::int64_t queue_length() const { return sum(&Instance::queue_length); }
  std::int64_t batch_length() const { return sum(&Instance::batch_length); }
  std::int64_t used_blocks() const { return sum(&Instance::used_blocks); }
  std::int64_t total_blocks() const { return sum(&Instance::total_blocks); }
  std::int64_t finished() const { return sum(&Instance::finished); }
  /// The number of the rank that this one went to.
  std::size_t went_to(std::size_t row) const { return went_to_.at(row); }
  /// By rank.
  std::vector<std::set<HashChain>> cached_content() const;

  InstanceResult result() const;

 private:
  std::int64_t sum(std::int64_t (Instance::*figure)() const) const;
  Instance& rank_of(std::size_t row) { return ranks_[went_to_.at(row)]; }
  /// The one that gets the request that comes now.
  Instance& choose(std::size_t row, Time now);
  std::optional<Instance::Due> next_due() const;
  void begin_step(const Instance::Due& due);
  void run_step(Time now);
  Duration part_of_prompts(Duration step) const;
  bool prompts_have_to_wait();
  Duration time(const std::vector<BatchShape>& shapes) const;  // by rank

  const EngineConfig limits_;
  const StepTimeModel& step_time_;
  std::deque<Instance> ranks_;
  std::map<std::size_t, std::size_t> went_to_;  // by row
  std::vector<std::int64_t> loads_;             // as they are known where requests come in
  Time told_;
  std::int64_t waited_ = 0;         // steps in a row that let no prompt in
  std::vector<Instance*> due_;      // to begin a step
  std::vector<Instance*> in_step_;  // those of them that have one
  std::vector<BatchShape> shapes_;  // by rank, of the step
  InstanceRecord counters_;         // of steps
  std::int64_t kv_block_ns_ = 0;
};

}  // namespace plimsoll::reference
