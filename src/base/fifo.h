// First in, first out, in one stretch of memory that is used again: a queue that is short most of
// the time allocates nothing and stays in the cache.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace plimsoll {

/// References to items hold until the next push or pop.
template <class T>
class Fifo {
 public:
  bool empty() const { return items_.empty(); }  ///< see pop_front()
  std::int64_t size() const { return std::ssize(items_) - static_cast<std::int64_t>(first_); }

  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  T& back() { return items_.back(); }
  const T& back() const { return items_.back(); }

  void push_back(const T& item) { items_.push_back(item); }
  template <class... Args>
  void emplace_back(Args&&... args) {
    items_.emplace_back(std::forward<Args>(args)...);
  }

  void pop_front() {
    ++first_;
    if (2 * first_ < items_.size()) return;
    // Each item is moved at most once for each one that has left before it. The last leaves
    // nothing.
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

 private:
  std::vector<T> items_;  ///< the ones before first_ have left
  std::size_t first_ = 0;
};

}  // namespace plimsoll
