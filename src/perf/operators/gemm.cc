#include "perf/operators/gemm.h"

namespace plimsoll {
namespace {

// Weights in a format the GPU does not multiply in are unpacked on the way: the row of 16 bits.
const GemmEfficiency& gemm_efficiency(const WeightFormat& format, const Device& device) {
  const auto rows = &KernelSet::gemm;
  if (!(device.flop_per_us(format.math) > device.flop_per_us(MatrixFormat::bf16))) {
    return *device.kernels.find(rows, {"bf16"});
  }
  if (format.math == MatrixFormat::fp8_blocks) {
    return *device.kernels.find(rows, {"fp8-blocks", "fp8"});
  }
  if (format.math == MatrixFormat::fp4) return *device.kernels.find(rows, {"nvfp4", "fp8"});
  return *device.kernels.find(rows, {"fp8"});
}

}  // namespace

Gemm::Gemm(double outputs, double inputs, const WeightFormat& format, const Device& device) {
  const GemmEfficiency& fitted = gemm_efficiency(format, device);
  const double bytes_per_us = device.bytes_per_us() * fitted.memory;
  compute_us_per_row_ = 2 * outputs * (inputs + fitted.depth_padding) /
                        (device.flop_per_us(format.math) * fitted.compute);
  weights_us_ = outputs * inputs * format.bytes / bytes_per_us;
  row_padding_ = bounded_padding(fitted.row_padding, compute_us_per_row_, weights_us_);
  traffic_us_per_row_ = kActivationBytes * (outputs + inputs) / bytes_per_us;
  // Read in 16 bits, written in 8.
  quantise_us_per_row_ = fitted.quantise * (kActivationBytes + 1) * inputs / device.bytes_per_us();
  sharpness_ = fitted.sharpness;
  launch_us_ = fitted.launch_us;
}

}  // namespace plimsoll
