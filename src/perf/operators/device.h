// One GPU of an instance, as the operators of a step see it: peak rates from the data sheet and how
// much of them its kernels reach.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "perf/parallelism.h"
#include "perf/shape_costs.h"
#include "random/portable_math.h"

namespace plimsoll {

struct Device {
  GpuSpec gpu;
  Kernels kernels;
  StepOverheads overheads;
  bool only_prompts = false;  ///< it computes prompts that others answer

  double flop_per_us(MatrixFormat format) const { return peak_flop_per_us(gpu, format); }
  double bytes_per_us() const { return gpu.memory_bandwidth_tb_s * 1e6; }
  bool has_nvlink() const { return gpu.link_gb_s > 0; }
  double link_bytes_per_us() const { return (has_nvlink() ? gpu.link_gb_s : gpu.pcie_gb_s) * 1e3; }
  double network_bytes_per_us() const { return network_gb_s(gpu) * 1e3; }
};

/// With the kernels and overheads that the catalog has for it.
Result<Device> device_of(const GpuSpec& gpu, Engine engine = Engine::vllm);

inline constexpr double kActivationBytes = 2;

/// The p-norm of two times that overlap, between their maximum (p large) and their sum (p = 1).
inline double smooth_max(double x, double y, double p) {
  const double larger = std::max(x, y);
  const double smaller = std::min(x, y);
  if (smaller <= 0) return larger;
  return larger * portable_pow(1 + portable_pow(smaller / larger, p), 1 / p);
}

/// As many padding rows as were fitted, but not more than are computed while the weights are read.
/// Rows are fitted where that takes longer; on a GPU with little arithmetic for its bandwidth (H20)
/// as many would be most of a step, and kernels have smaller tiles for few rows (vLLM 0.10,
/// scaled_mm on SM90: 16 to 64).
inline double bounded_padding(double rows, double compute_us_per_row, double weights_us) {
  return std::min(rows, weights_us / compute_us_per_row);
}

/// smooth_max() for p = 4.
inline double smooth_max_4(double x, double y) {
  const double xx = x * x;
  const double yy = y * y;
  return std::sqrt(std::sqrt(xx * xx + yy * yy));
}

}  // namespace plimsoll
