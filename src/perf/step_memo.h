// Remembers a pure function of a small whole number, value by value as they are asked for. Safe to
// use from many threads: whoever computes a value, it is the same.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace plimsoll {

class StepMemo {
 public:
  explicit StepMemo(std::size_t size) : values_(size) {}

  template <class Function>
  double at(std::int64_t n, const Function& function) const {
    const auto i = static_cast<std::size_t>(n);
    if (i >= values_.size()) return function(n);
    const double known = values_[i].load();
    if (!std::isnan(known)) return known;
    const double value = function(n);
    values_[i].store(value);
    return value;
  }

 private:
  /// Starts as "not known"; a vector needs its elements to be movable.
  class Slot {
   public:
    double load() const { return value_.load(std::memory_order_relaxed); }
    void store(double value) const { value_.store(value, std::memory_order_relaxed); }

   private:
    mutable std::atomic<double> value_{std::numeric_limits<double>::quiet_NaN()};
  };

  std::vector<Slot> values_;
};

}  // namespace plimsoll
