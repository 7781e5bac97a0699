// The parts that the kernel latency model adds a step up from, so that one can be made slower and
// what it changes be seen.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plimsoll {

struct Device;  // perf/operators/device.h

enum class StepPart : std::int8_t {
  matrices,       ///< projections, dense MLPs, the LM head
  attention,      ///< of all kinds, with the KV cache that it reads
  experts,        ///< routed ones
  exchanges,      ///< between the GPUs of an instance
  small_kernels,  ///< norms, activations, the sampler
  host            ///< what the host and the client add
};

inline constexpr std::array kStepParts{StepPart::matrices,      StepPart::attention,
                                       StepPart::experts,       StepPart::exchanges,
                                       StepPart::small_kernels, StepPart::host};

std::string_view name_of(StepPart part);

/// All that this part does takes `factor` times as long.
void slow_down(StepPart part, double factor, Device* device);

}  // namespace plimsoll
