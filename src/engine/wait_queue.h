// The wait queue of an instance, in the order of its scheduler policy.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "base/units.h"
#include "engine/engine_config.h"

namespace plimsoll {

/// What the order of the queue may depend on; fixed while the request waits.
struct QueueKey {
  std::int32_t priority = 0;  ///< lower is more urgent
  std::int32_t input_tokens = 0;
  Time arrival;
  std::int64_t id = 0;  ///< last tie-break, as the text `request_<id>` sorts
};

/// Holds slots (small integers); one slot waits at most once. fcfs keeps the order of entry, with
/// preempted requests in front; the sorting policies treat them like any other.
class WaitQueue {
 public:
  explicit WaitQueue(SchedulerPolicy policy) : policy_(policy) {}

  void push_back(std::uint32_t slot, const QueueKey& key);
  void push_front(std::uint32_t slot, const QueueKey& key);
  void pop_front();
  /// Takes out a slot that is waiting.
  void remove(std::uint32_t slot, const QueueKey& key);

  bool empty() const { return size_ == 0; }
  std::int64_t size() const { return size_; }
  std::uint32_t front();

 private:
  struct Sorted {
    std::int64_t rank;  ///< by policy; smaller goes first
    QueueKey key;
    std::uint32_t slot;
    bool operator<(const Sorted& other) const;
  };
  Sorted sorted(std::uint32_t slot, const QueueKey& key) const;
  bool fcfs() const { return policy_ == SchedulerPolicy::fcfs; }
  std::uint64_t new_ticket(std::uint32_t slot);

  struct Entry {
    std::uint32_t slot;
    std::uint64_t ticket;  ///< the entry counts only while it is the slot's latest
  };

  SchedulerPolicy policy_;
  std::int64_t size_ = 0;
  std::deque<Entry> order_;             ///< fcfs
  std::vector<std::uint64_t> tickets_;  ///< latest ticket by slot; fcfs
  std::uint64_t next_ticket_ = 1;
  std::set<Sorted> sorted_;  ///< the other policies
};

}  // namespace plimsoll
