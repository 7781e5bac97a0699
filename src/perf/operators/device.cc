#include "perf/operators/device.h"

#include <utility>

namespace plimsoll {

Result<Device> device_of(const GpuSpec& gpu) {
  auto kernels = find_kernels(gpu.kernels);
  if (!kernels) return pass_on(kernels);
  auto overheads = read_step_overheads();
  if (!overheads) return pass_on(overheads);
  return Device{gpu, std::move(*kernels), *overheads};
}

}  // namespace plimsoll
