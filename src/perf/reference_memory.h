// What the public simulator BLIS counts for weights and KV cache: every layer alike, gated MLPs of
// three matrices, activations' type for keys and values. Bytes. --semantics blis follows it to the
// byte; kv_capacity.h says where.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "catalog/model.h"
#include "perf/kv_capacity.h"

namespace plimsoll {

/// Of all weights.
double reference_weights_bytes(const ModelConfig& model);

/// Of one token on one GPU of the TP group. With KvBudget::per_gpu a GPU keeps at least one head.
Result<double> reference_kv_bytes(const ModelConfig& model, std::int64_t tp, KvBudget budget);

}  // namespace plimsoll
