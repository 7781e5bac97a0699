// The wait queue of an instance, in the order of its scheduler policy.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/scheduler.h"

namespace plimsoll {

/// Holds slots (small integers); one slot waits at most once. Without a scheduler it
/// keeps the order of entry, with preempted requests in front; schedulers treat them like any
/// other.
class WaitQueue {
 public:
  explicit WaitQueue(std::unique_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}

  void push_back(std::uint32_t slot, const QueueKey& key);
  void push_front(std::uint32_t slot, const QueueKey& key);
  /// Before all that were put in by the other ways, whatever the scheduler, in order of entry.
  void push_first(std::uint32_t slot);
  /// Takes out what front() has just told.
  void pop_front();
  /// Takes out a slot that is waiting.
  void remove(std::uint32_t slot, const QueueKey& key);

  bool empty() const { return size_ == 0; }
  std::int64_t size() const { return size_; }
  std::uint32_t front();

 private:
  struct Sorted {
    std::int64_t rank;  ///< by the scheduler; smaller goes first
    QueueKey key;
    std::uint32_t slot;
    bool operator<(const Sorted& other) const;
  };
  Sorted sorted(std::uint32_t slot, const QueueKey& key) const;
  bool keeps_order() const { return scheduler_ == nullptr; }
  std::uint64_t new_ticket(std::uint32_t slot);

  struct Entry {
    std::uint32_t slot;
    std::uint64_t ticket;  ///< the entry counts only while it is the slot's latest
  };

  void drop_left(std::deque<Entry>& entries);

  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t size_ = 0;
  std::deque<Entry> first_;
  std::deque<Entry> order_;             ///< if it keeps the order
  std::vector<std::uint64_t> tickets_;  ///< latest ticket by slot, of both; 0: none
  std::uint64_t next_ticket_ = 1;
  std::set<Sorted> sorted_;  ///< else
};

}  // namespace plimsoll
