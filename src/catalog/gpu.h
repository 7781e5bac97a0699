// What the simulator knows of a GPU. Plain facts, no behaviour.
#pragma once

#include <string>
#include <vector>

namespace plimsoll {

/// Peak rates are dense (no structured sparsity), 1e12 FLOP/s; bandwidth is 1e12 B/s; memory GiB.
struct GpuSpec {
  std::string name;
  double tflops_bf16 = 0;
  double tflops_fp8 = 0;  ///< 0 = no native FP8
  double memory_bandwidth_tb_s = 0;
  double memory_gib = 0;
  /// Fractions of the peak that roofline kernels reach.
  double mfu_prefill = 0;
  double mfu_decode = 0;
};

}  // namespace plimsoll
