#include "engine/wait_queue.h"

#include <charconv>
#include <string_view>
#include <tuple>

namespace plimsoll {
namespace {

// Negative, zero or positive as the decimal texts of a and b compare.
int compare_as_text(std::int64_t a, std::int64_t b) {
  char text_a[24];
  char text_b[24];
  const auto end_a = std::to_chars(text_a, text_a + sizeof text_a, a);
  const auto end_b = std::to_chars(text_b, text_b + sizeof text_b, b);
  return std::string_view(text_a, static_cast<std::size_t>(end_a.ptr - text_a))
      .compare(std::string_view(text_b, static_cast<std::size_t>(end_b.ptr - text_b)));
}

}  // namespace

Request WaitingRequest::request() const {
  Request r;
  r.id = id;
  r.arrival = arrival;
  r.input_tokens = input_tokens;
  r.output_tokens = output_tokens;
  r.max_output_tokens = max_output_tokens;
  r.slo_class = slo_class;
  r.reusable = reusable;
  r.prefix = prefix;
  r.own_content = own_content;
  return r;
}

bool WaitQueue::Sorted::operator<(const Sorted& other) const {
  const auto a = std::tie(rank, key.arrival);
  const auto b = std::tie(other.rank, other.key.arrival);
  if (a != b) return a < b;
  const int by_id = compare_as_text(key.id, other.key.id);
  return by_id != 0 ? by_id < 0 : slot < other.slot;
}

WaitQueue::Sorted WaitQueue::sorted(std::uint32_t slot, const QueueKey& key) const {
  return {scheduler_->rank(key), key, slot};
}

std::uint64_t WaitQueue::new_ticket(std::uint32_t slot) {
  if (slot >= tickets_.size()) tickets_.resize(slot + 1);
  return tickets_[slot] = next_ticket_++;
}

void WaitQueue::push_back(std::uint32_t slot, const QueueKey& key) {
  ++size_;
  if (keeps_order()) {
    order_.push_back({slot, new_ticket(slot)});
  } else {
    sorted_.insert(sorted(slot, key));
  }
}

void WaitQueue::push_front(std::uint32_t slot, const QueueKey& key) {
  ++size_;
  if (keeps_order()) {
    order_.push_front({slot, new_ticket(slot)});
  } else {
    sorted_.insert(sorted(slot, key));
  }
}

void WaitQueue::push_first(std::uint32_t slot) {
  ++size_;
  first_.push_back({slot, new_ticket(slot)});
}

void WaitQueue::push_request(const WaitingRequest& waiting) {
  ++size_;
  requests_.push_back(waiting);
  if (order_.empty() || order_.back().slot != kNoSlot) order_.push_back({kNoSlot, 0});
  ++order_.back().ticket;
}

const WaitingRequest* WaitQueue::first_without_slot() {
  if (requests_.empty()) return nullptr;
  drop_left(first_);
  if (!first_.empty()) return nullptr;
  drop_left(order_);
  return order_.front().slot == kNoSlot ? &requests_.front() : nullptr;
}

void WaitQueue::give_slot(std::uint32_t slot) {
  requests_.pop_front();
  if (--order_.front().ticket == 0) order_.pop_front();
  order_.push_front({slot, new_ticket(slot)});
}

// At the front.
void WaitQueue::drop_left(std::deque<Entry>& entries) {
  while (!entries.empty()) {
    const Entry& first = entries.front();
    if (first.slot == kNoSlot || tickets_[first.slot] == first.ticket) return;
    entries.pop_front();
  }
}

std::uint32_t WaitQueue::front() {
  drop_left(first_);
  if (!first_.empty()) return first_.front().slot;
  if (!keeps_order()) return sorted_.begin()->slot;
  drop_left(order_);
  return order_.front().slot;
}

void WaitQueue::pop_front() {
  --size_;
  if (!first_.empty()) {
    tickets_[first_.front().slot] = 0;
    first_.pop_front();
  } else if (keeps_order()) {
    tickets_[order_.front().slot] = 0;
    order_.pop_front();
  } else {
    sorted_.erase(sorted_.begin());
  }
}

void WaitQueue::remove(std::uint32_t slot, const QueueKey& key) {
  --size_;
  if (slot < tickets_.size() && tickets_[slot] != 0) {
    tickets_[slot] = 0;
  } else {
    sorted_.erase(sorted(slot, key));
  }
}

}  // namespace plimsoll
