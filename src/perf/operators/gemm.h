// The time of a matrix product y[rows, outputs] = x[rows, inputs] * w[inputs, outputs]: arithmetic
// on padded tiles against the traffic of weights and activations, which overlap.
//   compute = 2 (rows + row_padding) outputs (inputs + depth_padding) / (peak * compute efficiency)
//   memory  = (outputs inputs weight_bytes + 2 rows (outputs + inputs)) / (bandwidth * efficiency)
//   time    = launch + smooth_max(compute, memory) + passes to quantise the activations
#pragma once

#include "catalog/layers.h"
#include "perf/operators/device.h"

namespace plimsoll {

class Gemm {
 public:
  Gemm(double outputs, double inputs, const WeightFormat& format, const Device& device);

  double us(double rows) const { return rows > 0 ? launch_us_ + without_launch_us(rows) : 0; }
  /// For products that are part of one larger kernel.
  double without_launch_us(double rows) const {
    if (rows <= 0) return 0;
    return smooth_max(compute_us_per_row_ * (rows + row_padding_),
                      weights_us_ + traffic_us_per_row_ * rows, sharpness_) +
           quantise_us_per_row_ * rows;
  }

 private:
  double compute_us_per_row_;
  double row_padding_;
  double weights_us_;
  double traffic_us_per_row_;
  double quantise_us_per_row_;
  double sharpness_;
  double launch_us_;
};

}  // namespace plimsoll
