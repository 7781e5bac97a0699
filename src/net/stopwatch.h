// Real time since a start, in the types of simulated time. Only this room has it.
#pragma once

#include <chrono>

#include "base/units.h"

namespace plimsoll {

class Stopwatch {
 public:
  Time now() const {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()};
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace plimsoll
