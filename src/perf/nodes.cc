#include "perf/nodes.h"

#include <algorithm>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kUsualNode = 8;
constexpr double kUsualNetworkGbS = 50;

}  // namespace

std::int64_t gpus_together(const GpuSpec& gpu) {
  const std::int64_t together = std::max(gpu.gpus_per_node, gpu.link_gpus);
  return together > 0 ? together : kUsualNode;
}

std::int64_t gpus_of_machine(const GpuSpec& gpu) {
  return gpu.gpus_per_node > 0 ? gpu.gpus_per_node : kUsualNode;
}

double network_gb_s(const GpuSpec& gpu) {
  return gpu.network_gb_s > 0 ? gpu.network_gb_s : kUsualNetworkGbS;
}

bool spans_nodes(const GpuSpec& gpu, const Parallelism& layout) {
  return layout.gpus() > gpus_together(gpu);
}

std::string network_note(const GpuSpec& gpu, const Parallelism& layout) {
  const std::string rate = three_digits(network_gb_s(gpu)) + " GB/s";
  return "the " + std::to_string(layout.gpus()) + " GPUs of an instance are more than the " +
         std::to_string(gpus_together(gpu)) + " that " + gpu.name +
         " has together: what they exchange beyond takes a network of " +
         (gpu.network_gb_s > 0 ? rate : "an assumed " + rate) + " per GPU";
}

}  // namespace plimsoll
