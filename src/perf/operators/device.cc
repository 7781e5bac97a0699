#include "perf/operators/device.h"

namespace plimsoll {

Result<Device> device_of(const GpuSpec& gpu) {
  TRY(kernels, find_kernels(gpu.kernels));
  TRY(overheads, read_step_overheads());
  return Device{gpu, std::move(kernels), overheads};
}

}  // namespace plimsoll
