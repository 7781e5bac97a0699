// What a build of vLLM decides about its memory beside the model, the GPU and the flags: versions
// and the packages installed with it differ, and a start-up log says which it is.
#pragma once

namespace plimsoll {

/// How the start-up profile samples. PyTorch's own sampler sorts all logits: vLLM until about 0.16
/// where FlashInfer is not installed or not used. FlashInfer and the kernels of later versions do
/// without. Bytes per logit: perf/loaded_weights.h.
enum class LogitSampler { sorts, light };

/// Kernels of MXFP4 experts, which pad them differently (perf/loaded_weights.h). `native`: those of
/// the GPU's architecture where it has any, which is Triton's on Hopper; they come with a package
/// that not every build has. `marlin`: the others.
enum class Mxfp4Kernels { native, marlin };

struct EngineBuild {
  LogitSampler sampler = LogitSampler::sorts;
  Mxfp4Kernels mxfp4 = Mxfp4Kernels::native;
};

}  // namespace plimsoll
