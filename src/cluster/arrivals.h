// The requests of a simulation in order of their arrival: new ones from the source, and those that
// follow from others that have left (rounds of a session). At equal times new ones come first.
// Nothing that was refused comes again.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/fifo.h"
#include "workload/request.h"

namespace plimsoll {

class Arrivals {
 public:
  explicit Arrivals(RequestSource& source) : source_(source) { pull(); }

  /// When the next one arrives; kNever: there is none.
  Time next() const {
    return follow_ups_.empty() ? new_.arrival
                               : std::min(new_.arrival, follow_ups_.top().request.arrival);
  }
  /// That one; there must be one.
  const Request& front() const {
    assert(next() != kNever);
    return new_.arrival == next() ? new_ : follow_ups_.top().request;
  }
  void pop() {
    if (new_.arrival == next()) {
      pull();
    } else {
      follow_ups_.pop();
    }
  }

  /// Takes so many requests from the source ahead of their time, while instances run: nothing that
  /// reacts may be the source.
  void read_ahead(std::size_t requests) {
    assert(!react());
    for (; requests > 0 && !is_at_end_; --requests) {
      Request request;
      is_at_end_ = !source_.next(&request);
      if (!is_at_end_) ahead_.push_back(request);
    }
  }

  /// A request left in an event at `now`; another may follow from it, after all that happens then:
  /// so a recording of the arrivals says the order.
  void left(const Departure& departure, Time now) {
    Request request;
    if (!departure.awaited || !source_.follow_up(departure, &request)) return;
    assert(request.arrival >= departure.at + source_.reaction_time());
    request.arrival = std::max(request.arrival, just_after(now));
    follow_ups_.push({request, follow_up_count_++});
  }

  /// The source, which had no more, has more now.
  void resume() {
    assert(new_.arrival == kNever);
    is_at_end_ = false;
    new_.arrival = {};
    pull();
  }

  /// As RequestSource has them.
  bool react() const { return source_.reacts(); }
  Duration reaction_time() const { return source_.reaction_time(); }
  std::int64_t rounds_left_out() const { return source_.rounds_left_out(); }
  const Labels& labels() const { return source_.labels(); }

  static Time just_after(Time time) { return time == kNever ? kNever : Time{time.ns + 1}; }

 private:
  struct FollowUp {
    Request request;
    std::int64_t order;

    bool operator>(const FollowUp& other) const {
      return std::pair(request.arrival, order) > std::pair(other.request.arrival, other.order);
    }
  };

  void pull() {
    [[maybe_unused]] const Time last = new_.arrival;
    new_ = {};
    if (!ahead_.empty()) {
      new_ = ahead_.front();
      ahead_.pop_front();
    } else if (is_at_end_ || !source_.next(&new_)) {
      new_.arrival = kNever;
    }
    assert(new_.arrival >= last);
  }

  RequestSource& source_;
  Fifo<Request> ahead_;  ///< taken from the source before their time
  bool is_at_end_ = false;
  Request new_;  ///< arrives never: there is none
  std::priority_queue<FollowUp, std::vector<FollowUp>, std::greater<FollowUp>> follow_ups_;
  std::int64_t follow_up_count_ = 0;
};

}  // namespace plimsoll
