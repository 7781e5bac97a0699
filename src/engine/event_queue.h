// A priority queue for events that are mostly scheduled in the order in which they fall due, as
// deadlines of equal length are: those wait in a FIFO, only the others in a heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "base/fifo.h"
#include "base/units.h"

namespace plimsoll {

/// Earliest first; Event has a time, `at`, and a total order that goes by it.
template <class Event>
class EventQueue {
 public:
  bool empty() const { return in_order_.empty() && others_.empty(); }
  std::int64_t size() const { return in_order_.size() + static_cast<std::int64_t>(others_.size()); }

  void push(const Event& event) {
    if (in_order_.empty() || in_order_.back() < event) {
      in_order_.push_back(event);
    } else {
      others_.push(event);
    }
  }

  /// When the first one is due; kNever: there is none.
  Time earliest() const {
    const Time next = in_order_.empty() ? kNever : in_order_.front().at;
    return others_.empty() ? next : std::min(next, others_.top().at);
  }
  const Event& top() const { return first_is_in_order() ? in_order_.front() : others_.top(); }

  void pop() {
    if (first_is_in_order()) {
      in_order_.pop_front();
    } else {
      others_.pop();
    }
  }

 private:
  bool first_is_in_order() const {
    return others_.empty() || (!in_order_.empty() && in_order_.front() < others_.top());
  }

  Fifo<Event> in_order_;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> others_;
};

}  // namespace plimsoll
