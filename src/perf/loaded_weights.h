// What the weights of a model take on the GPUs of one data-parallel rank once vLLM has loaded them:
// the stored weights (model_size.h), with the copies that tensor parallelism makes of what it does
// not slice, and the padding that kernels for MXFP4 experts ask for.
#pragma once

#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/engine_build.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// Bytes on all GPUs of one rank together; the routed experts of the model are shared by all ranks.
///
/// Every GPU of the group has norms, routers, the down-projections of latent attention and an index
/// for itself, and a KV head where there are fewer heads than GPUs. MXFP4 experts are padded: what
/// they read to a multiple of 256, and the width of each slice of an expert to a multiple of 64 by
/// the kernels of Hopper and of 128 by Marlin, which other GPUs use (vllm, mxfp4.py). gpt-oss-120b
/// thereby takes 64.4 GiB of an H100 and 65.9 of an A100, where its files have 60.7.
double loaded_weight_bytes(const ModelConfig& model, const Parallelism& parallelism,
                           const GpuSpec& gpu, Mxfp4Kernels kernels);

}  // namespace plimsoll
