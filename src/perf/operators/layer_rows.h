// The part of a layer that costs the same for every row of a step, whatever the row looks back on:
// projections, MLPs, routed experts, all-reduces and small kernels; all but attention itself. Sums
// the operators of this folder.
#pragma once

#include <optional>
#include <vector>

#include "catalog/model.h"
#include "perf/operators/all_reduce.h"
#include "perf/operators/device.h"
#include "perf/operators/expert_exchange.h"
#include "perf/operators/experts.h"
#include "perf/operators/gemm.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// The times of all layers of a group, in microseconds.
class LayerRows {
 public:
  LayerRows(const LayerGroup& group, const ModelConfig& model, const Parallelism& layout,
            const Device& device);

  /// On a rank with so many rows: all but the routed experts.
  double us(double rows) const;

  /// The all-reduces among that.
  double all_reduces_us(double rows) const;

  /// The time of their routed experts, which the rows of all data-parallel ranks share.
  double experts_us(double rows) const;

 private:
  double count_;
  double hidden_;
  std::vector<Gemm> gemms_;
  std::optional<ExpertsCost> experts_;
  std::optional<ExpertExchange> exchange_;
  AllReduce all_reduce_;
  double all_reduces_ = 0;
  double all_reduced_elements_ = 0;  // of the third one, of norms over all heads
  double small_us_ = 0;
  double small_us_per_row_ = 0;
};

}  // namespace plimsoll
