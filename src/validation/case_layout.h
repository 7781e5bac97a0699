// How a measured case spreads its model over GPUs.
#pragma once

#include <vector>

#include "base/result.h"
#include "catalog/model.h"
#include "perf/parallelism.h"
#include "validation/case.h"

namespace plimsoll {

/// An error if its degrees contradict each other. What is taken otherwise than stated, and what has
/// no effect, is told.
Result<Parallelism> layout_of(const CaseLayout& layout, const ModelConfig& model,
                              std::vector<CaseAssumption>* assumptions);

}  // namespace plimsoll
