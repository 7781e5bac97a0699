#include "perf/operators/all_reduce.h"

namespace plimsoll {

AllReduce::AllReduce(double gpus, const Device& device, double stride) : gpus_(gpus) {
  if (gpus <= 1) return;
  const auto together = static_cast<double>(gpus_together(device.gpu));
  const double here = std::min(gpus, std::max(1.0, std::floor(together / stride)));
  const auto linked = static_cast<double>(device.gpu.link_gpus);
  if (here > 1)
    add_node(here, device.has_nvlink() && (linked == 0 || here * stride <= linked), device);
  const double nodes = std::ceil(gpus / here);
  fixed_us_ += 2 * (nodes - 1) * kNetworkUs;
  network_us_per_byte_ = 2 * (nodes - 1) / nodes / here / device.network_bytes_per_us();
}

void AllReduce::add_node(double gpus, bool linked, const Device& device) {
  const AllReduceEfficiency& fitted =
      *device.kernels.find(&KernelSet::all_reduce, {linked ? "nvlink" : "pcie"});
  const double link = (linked ? device.gpu.link_gb_s : device.gpu.pcie_gb_s) * 1e3;
  fixed_us_ = fitted.launch_us + fitted.per_gpu_us * (gpus - 2);
  one_shot_us_per_byte_ = (gpus - 1) / (link * fitted.one_shot);
  two_shot_us_ = fitted.two_shot_us * std::sqrt(gpus - 1);
  two_shot_us_per_byte_ = 2 * (gpus - 1) / gpus / (link * fitted.two_shot);
}

}  // namespace plimsoll
