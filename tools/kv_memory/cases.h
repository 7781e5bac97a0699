// tests/kv_memory/cases.csv: what vLLM said of its memory when it started, one engine per row, and
// where that was published. GiB are of one GPU.
//
//   model ... max_num_batched_tokens  as the flags of plimsoll have them; an empty utilization was
//                  not stated, so that only the weights can be compared
//   vllm           its version; empty: not stated
//   weights_gib    "Model loading took"; empty: not stated
//   kv_gib         "Available KV cache memory", or that of its blocks; negative: it did not start
//   graphs_gib     "Estimated CUDA graph memory", where the engine set it aside before the KV cache
//   sampler        `sorts` or `light` (perf/kv_capacity.h); empty: not stated
//   mxfp4          `marlin`: those kernels where the GPU has its own
//   assumed        columns that the source does not state; vLLM's defaults fill them
//   source         who published it
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/kv_capacity.h"
#include "perf/parallelism.h"

namespace plimsoll::kv_memory {

struct LoggedEngine {
  ModelConfig model;
  std::string weights;  ///< --quantization; empty: as in the catalog
  GpuSpec gpu;
  Parallelism layout;
  KvSettings settings;
  bool utilization_stated = true;
  std::string vllm;
  std::string assumed;
  std::string source;
  std::optional<double> weights_gib;
  std::optional<double> kv_gib;
  double graphs_gib = 0;
};

/// Those whose model and GPU the catalog knows; other names are an error.
Result<std::vector<LoggedEngine>> read_cases(const std::string& path);

}  // namespace plimsoll::kv_memory
