// The instances of a cluster and what routers see of them. They affect each other only through the
// router and follow-ups: until one of those looks, each instance gets its requests in batches and
// runs for long stretches while it is in the processor's cache. Where nobody ever looks, instances
// run on several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/units.h"
#include "cluster/active_rows.h"
#include "cluster/arrivals.h"
#include "cluster/simulation.h"
#include "cluster/tournament.h"
#include "cluster/view_keeper.h"
#include "engine/ranks.h"

namespace plimsoll {

/// A request between its arrival at the cluster and its instance.
struct OnItsWay {
  OnItsWay(Time when, const Request& what, std::uint32_t where)
      : at(when), request(what), row(where) {}

  Time at;
  Request request;
  std::uint32_t row;
};

/// Told of each request that leaves an instance where somebody waits for it, and of what instances
/// tell of requests that they share (engine/handoff.h).
class DepartureListener {
 public:
  virtual ~DepartureListener() = default;
  virtual void departed(const Departure& departure) = 0;
  virtual void handed_over(std::span<HandoffNotice> notices, Time now) = 0;
  /// The time of the next event of KV blocks on their way.
  virtual Time next_transfer() const = 0;
};

class InstanceGroup {
 public:
  struct Watch {
    ViewNeeds needs;           ///< of whoever answers
    ViewNeeds needs_prefills;  ///< of those for prefill alone
    bool departures = false;   ///< of all requests, awaited or not
    bool one_clock = false;    ///< no instance may be ahead of what reaches it from the others
    bool seen = false;         ///< at each look-up and departure all have to have come to it
  };

  InstanceGroup(const Deployment& deployment, const SimulationOptions& options, const Watch& watch,
                Arrivals& arrivals, RequestTable& rows, DepartureListener& listener,
                Progress& progress);

  /// Nothing that anybody waits for happens in any of them before this time, but for what was not
  /// handed over yet.
  Time earliest() const { return schedule_.earliest(); }
  bool is_on_one_clock() const { return one_clock_; }
  /// A look-up at `now` needs all instances to have come to it.
  bool is_seen_at(Time now) const {
    return std::ranges::any_of(views_, [&](const ViewKeeper& v) { return v.is_due(now); });
  }

  ViewKeeper& views(Side side = Side::answers) { return views_[static_cast<std::size_t>(side)]; }
  void look_up(Time now) {
    for (ViewKeeper& views : views_) views.look_up(now);
  }
  void count_in_flight(std::size_t index, std::int64_t change) {
    views(side_of(index)).left(index - views(side_of(index)).views().first, -change);
  }

  /// A request goes to an instance: at once, or when the instances are run again.
  void hand_over(std::size_t index, Time at, const Request& request, std::uint32_t row,
                 Part part = Part::whole);
  /// Runs everything that happens before `before`, or before the next arrival that follows from it.
  /// False: `monitor` stopped it.
  bool run(Time before, Monitor* monitor);
  /// Those that fell behind, because nobody looked, run what happens before `before`.
  void catch_up(Time before);
  /// Takes a request back from an instance; false: it has left it.
  bool evict(std::size_t index, std::uint32_t row, Time now);

  // As Instance has them, at `now`, to which all instances have come.
  Ranks::Slot expect_prompt(std::size_t index, const Request& request, std::uint32_t row,
                            Time token, bool client_has_token, Time now);
  void prompt_arrived(std::size_t index, Ranks::Slot slot, Time now);
  void release_prompt(std::size_t index, Ranks::Slot slot, Time now);
  /// Passes on what an instance has told.
  void relay(std::size_t index, Time now);

  /// One event more; false: `monitor` stops it.
  bool keep_going(Monitor* monitor) {
    constexpr std::int64_t kEventsPerPoll = 128;  // of long prompts, some milliseconds
    if (++events_ % kEventsPerPoll != 0 || monitor == nullptr) return true;
    return monitor->keep_going(progress_);
  }

  const std::deque<Ranks>& instances() const { return instances_; }
  /// Completes the record with what instances have not written there yet.
  void write_rows(RequestTable* record) const {
    for (const ActiveRows& rows : active_) rows.write_all(record);
  }

 private:
  Side side_of(std::size_t index) const {
    return index < prefills_ ? Side::prefills : Side::answers;
  }
  bool run_until_disturbed(Time before, Monitor* monitor);
  bool run_on_threads(Time before, Monitor* monitor);
  template <class Work>
  void on_all_threads(const Work& work);
  void run_event_of(Ranks& instance, std::size_t index, Time now, Time before);
  void reschedule(std::size_t index);
  void touched(std::size_t index);
  Time next_of(std::size_t index) {
    Ranks& instance = instances_[index];
    if (answers_lag_ && index >= prefills_ && instance.next_freed_prompt() == kNever) return kNever;
    return seen_ ? instance.next_event() : instance.next_departure();
  }
  void catch_up(std::size_t index, Time before);
  void count_departures(Ranks& instance, std::size_t index);
  void deliver(std::size_t index);
  void take_in(std::size_t index);

  Arrivals& arrivals_;
  RequestTable& rows_;
  DepartureListener& listener_;
  Progress& progress_;
  const bool one_clock_;
  const bool seen_;
  const std::size_t prefills_;     ///< so many, the first ones, hand prompts over to others
  const bool answers_lag_;         ///< those that answer fall behind while they are quiet
  const bool follows_changes_;     ///< somebody needs to know where something happened
  const std::size_t threads_;      ///< more than one: nothing but its requests reaches an instance
  std::deque<ActiveRows> active_;  ///< by instance, where threads run them
  std::deque<Ranks> instances_;
  std::vector<std::vector<OnItsWay>> inboxes_;  ///< routed, not yet handed over
  std::size_t undelivered_ = 0;                 ///< so many on `threads_`
  std::vector<std::int64_t> left_;              ///< by instance, of the requests that have left
  std::vector<ViewKeeper> views_;               ///< by side
  Tournament schedule_;
  Tournament prompts_;                 ///< when each may bring another one a prompt
  std::vector<Departure> departures_;  ///< scratch
  std::int64_t events_ = 0;
};

}  // namespace plimsoll
