#include "perf/operators/all_reduce.h"

namespace plimsoll {

AllReduce::AllReduce(double gpus, const Device& device) : gpus_(gpus) {
  if (gpus <= 1) return;
  const AllReduceEfficiency& fitted =
      *device.kernels.find(&KernelSet::all_reduce, {device.has_nvlink() ? "nvlink" : "pcie"});
  const double link = device.link_bytes_per_us();
  fixed_us_ = fitted.launch_us + fitted.per_gpu_us * (gpus - 2);
  one_shot_us_per_byte_ = (gpus - 1) / (link * fitted.one_shot);
  two_shot_us_ = fitted.two_shot_us * std::sqrt(gpus - 1);
  two_shot_us_per_byte_ = 2 * (gpus - 1) / gpus / (link * fitted.two_shot);
}

}  // namespace plimsoll
