// The time to add up one vector over the GPUs of a node:
//   launch + per_gpu (g - 2)
//   + min((g - 1) bytes / (link * one_shot),
//         two_shot_us sqrt(g - 1) + 2 (g - 1) / g bytes / (link * two_shot))
#pragma once

#include "perf/operators/device.h"

namespace plimsoll {

class AllReduce {
 public:
  /// Over one GPU it takes no time.
  AllReduce(double gpus, const Device& device);

  /// Of so many 16-bit elements.
  double us(double elements) const {
    if (gpus_ <= 1) return 0;
    const double bytes = kActivationBytes * elements;
    return fixed_us_ +
           std::min(one_shot_us_per_byte_ * bytes, two_shot_us_ + two_shot_us_per_byte_ * bytes);
  }

 private:
  double gpus_;
  double fixed_us_ = 0;
  double one_shot_us_per_byte_ = 0;
  double two_shot_us_ = 0;
  double two_shot_us_per_byte_ = 0;
};

}  // namespace plimsoll
