#include "perf/operators/device.h"

namespace plimsoll {

Result<Device> device_of(const GpuSpec& gpu, Engine engine) {
  TRY(kernels, find_kernels(gpu.kernels, engine));
  TRY(overheads, read_step_overheads(engine, gpu.kernels));
  return Device{gpu, std::move(kernels), overheads};
}

}  // namespace plimsoll
