// The time of the routed experts of one layer: those that at least one token chose are read, and
// each computes on padded tiles.
//   compute = 2 m d I (X k' + row_padding N) / (peak * compute efficiency)
//   memory  = m N d I weight_bytes / (bandwidth * efficiency)
//   time    = launch + smooth_max(compute, memory) + passes over the activations
// with X tokens in the expert group, k' of the k experts of a token and N of the experts touched on
// this GPU, m matrices of d x I. With imbalance, X is that many times what it is: the others wait
// for the busiest GPU.
#pragma once

#include "catalog/layers.h"
#include "perf/operators/device.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// How many of `experts` at least one of `tokens` tokens chooses, each choosing `per_token`, when
/// their popularity is gamma-distributed with this shape (infinite = all alike): the zero class of
/// a negative binomial. A coarse expert is a bundle of fine ones, so its shape is larger.
double experts_touched(double tokens, double experts, double per_token, double evenness_of_128);

/// The load of the GPU with the busiest experts over the mean where so many GPUs have equally many
/// of them, by the same popularity: the largest of sums of gamma variables, which are nearly normal
/// (of n, sqrt(2 ln n) - 0.6 deviations above the mean, right to 4 % from 2 to 256).
double busiest_load(double experts, double gpus, double evenness_of_128);

class ExpertsCost {
 public:
  ExpertsCost(const Mlp& mlp, double hidden, const Parallelism& layout, const WeightFormat& format,
              const Device& device);

  /// `tokens` of all data-parallel ranks together.
  double us(double tokens) const;
  /// The same where it is known how many of all experts they chose.
  double us(double tokens, double touched) const;

 private:
  double experts_;
  double per_token_;
  double evenness_;
  double share_ = 1;      // of the touched experts that is on this GPU
  double imbalance_ = 1;  // load of the busiest GPU over the mean
  double compute_us_per_row_;
  double row_padding_;
  double weights_us_per_expert_;
  double activation_us_per_token_;
  double sharpness_;
  double launch_us_;
};

}  // namespace plimsoll
