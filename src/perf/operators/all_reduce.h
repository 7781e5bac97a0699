// The time to add up one vector over a group of GPUs. In a node:
//   launch + per_gpu (g - 2)
//   + min((g - 1) bytes / (link * one_shot),
//         two_shot_us sqrt(g - 1) + 2 (g - 1) / g bytes / (link * two_shot))
// Over n nodes each of the g GPUs of a node then adds up its share with those of the others, round
// a ring (Thakur, Rabenseifner and Gropp 2005):
//   + 2 (n - 1) network_us + 2 (n - 1) / n bytes / g / network
#pragma once

#include "perf/operators/device.h"

namespace plimsoll {

class AllReduce {
 public:
  /// Over one GPU it takes no time. Members of the group are `stride` GPUs apart.
  AllReduce(double gpus, const Device& device, double stride = 1);

  /// The time for so many 16-bit elements.
  double us(double elements) const {
    if (gpus_ <= 1) return 0;
    const double bytes = kActivationBytes * elements;
    return fixed_us_ + network_us_per_byte_ * bytes +
           std::min(one_shot_us_per_byte_ * bytes, two_shot_us_ + two_shot_us_per_byte_ * bytes);
  }

 private:
  void add_node(double gpus, bool linked, const Device& device);

  double gpus_;
  double fixed_us_ = 0;
  double one_shot_us_per_byte_ = 0;
  double two_shot_us_ = 0;
  double two_shot_us_per_byte_ = 0;
  double network_us_per_byte_ = 0;
};

}  // namespace plimsoll
