// The wait queue of an instance, in the order of its scheduler policy.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/scheduler.h"
#include "workload/request.h"

namespace plimsoll {

/// A request that waits for nothing but its turn: what an engine looks at, in one line of the
/// processor's cache. Without a deadline, and without what its source and logs ask for.
struct WaitingRequest {
  WaitingRequest(const Request& r, std::uint32_t at_row)
      : id(r.id),
        arrival(r.arrival),
        own_content(r.own_content),
        prefix(r.prefix),
        input_tokens(r.input_tokens),
        output_tokens(r.output_tokens),
        max_output_tokens(r.max_output_tokens),
        row(at_row),
        slo_class(r.slo_class),
        reusable(r.reusable) {}
  Request request() const;

  std::int64_t id;
  Time arrival;
  std::uint64_t own_content;
  std::span<const PrefixSegment> prefix;
  std::int32_t input_tokens;
  std::int32_t output_tokens;
  std::int32_t max_output_tokens;
  std::uint32_t row;  ///< in the request table
  SloClass slo_class;
  bool reusable;
};

/// Holds slots (small integers); one slot waits at most once. Without a scheduler it
/// keeps the order of entry, with preempted requests in front; schedulers treat them like any
/// other. A long queue is mostly requests that have no slot yet, one after the other in memory.
class WaitQueue {
 public:
  explicit WaitQueue(std::unique_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}

  void push_back(std::uint32_t slot, const QueueKey& key);
  void push_front(std::uint32_t slot, const QueueKey& key);
  /// Before all that were put in by the other ways, whatever the scheduler, in order of entry.
  void push_first(std::uint32_t slot);
  /// At the back, without a slot: only where keeps_order(), and if nothing but its turn can take
  /// the request out.
  void push_request(const WaitingRequest& waiting);
  /// The first one if it has no slot, else null. Then front() may be asked.
  const WaitingRequest* first_without_slot();
  /// That one gets a slot.
  void give_slot(std::uint32_t slot);
  /// Takes out what front() has just told.
  void pop_front();
  /// Takes out a slot that is waiting.
  void remove(std::uint32_t slot, const QueueKey& key);

  bool empty() const { return size_ == 0; }
  std::int64_t size() const { return size_; }
  std::uint32_t front();
  /// No scheduler.
  bool keeps_order() const { return scheduler_ == nullptr; }

 private:
  struct Sorted {
    std::int64_t rank;  ///< by the scheduler; smaller goes first
    QueueKey key;
    std::uint32_t slot;
    bool operator<(const Sorted& other) const;
  };
  Sorted sorted(std::uint32_t slot, const QueueKey& key) const;
  std::uint64_t new_ticket(std::uint32_t slot);

  struct Entry {
    std::uint32_t slot;
    std::uint64_t ticket;  ///< the entry counts only while it is the slot's latest
  };
  /// As a slot: this entry stands for the next of requests_, as many as its ticket says.
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  void drop_left(std::deque<Entry>& entries);

  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t size_ = 0;
  std::deque<Entry> first_;
  std::deque<Entry> order_;  ///< if it keeps the order
  std::deque<WaitingRequest> requests_;
  std::vector<std::uint64_t> tickets_;  ///< latest ticket by slot, of both; 0: none
  std::uint64_t next_ticket_ = 1;
  std::set<Sorted> sorted_;  ///< else
};

}  // namespace plimsoll
