// How tokens of data-parallel ranks travel to their experts and back: gathered by every rank, as
// two all-reduces cost; or copied to where their experts are (all-to-all), at the rates that
// DeepEP's and TensorRT-LLM's kernels were measured with (catalog/step-overheads.yaml).
#pragma once

#include "catalog/model.h"
#include "perf/operators/all_reduce.h"
#include "perf/operators/device.h"
#include "perf/parallelism.h"

namespace plimsoll {

class ExpertExchange {
 public:
  /// The exchange of one layer with such experts, whose weights have that format.
  ExpertExchange(const Mlp& experts, double hidden, const WeightFormat& weights,
                 const Parallelism& layout, const Device& device);

  /// There and back, for so many rows of all ranks together; in microseconds.
  double us(double rows) const;

 private:
  /// Beside its fixed time, by the rows of all ranks.
  struct AllToAll {
    double fixed_us = 0;
    double us_per_row = 0;

    double us(double rows) const { return fixed_us + us_per_row * rows; }
  };

  static AllToAll all_to_all(const AllToAllRate& rate, double copies, double bytes,
                             const Parallelism& layout, const Device& device);

  MoeCommFamily family_;
  double hidden_;
  double gathers_;
  AllReduce gather_;
  AllToAll by_rank_;
  AllToAll by_expert_;
};

}  // namespace plimsoll
