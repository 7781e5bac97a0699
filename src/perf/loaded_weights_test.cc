#include "perf/loaded_weights.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

double loaded_gib(const char* model, const char* gpu, std::int64_t tp,
                  Mxfp4Kernels kernels = Mxfp4Kernels::native) {
  Parallelism layout;
  layout.tp = tp;
  return loaded_weight_bytes(find_model(model)->config, layout, *find_gpu(gpu, SemanticsMode::vllm),
                             kernels) /
         static_cast<double>(tp << 30);
}

// "Model loading took": vllm-project/vllm, issues 33155 and 23278, and start-up logs.
TEST(LoadedWeights, pad_mxfp4_experts_as_the_kernels_of_the_gpu_do) {
  EXPECT_NEAR(loaded_gib("openai/gpt-oss-120b", "H100", 1), 64.38, 0.2);
  EXPECT_NEAR(loaded_gib("openai/gpt-oss-120b", "H100", 1, Mxfp4Kernels::marlin), 65.97, 0.2);
  EXPECT_NEAR(loaded_gib("openai/gpt-oss-120b", "A100-80", 4), 17.22, 0.1);
  EXPECT_NEAR(loaded_gib("openai/gpt-oss-20b", "H100", 1), 13.47, 0.1);
  EXPECT_NEAR(loaded_gib("openai/gpt-oss-20b", "A100-80", 1), 13.72, 0.1);
}

TEST(LoadedWeights, copy_what_tensor_parallelism_does_not_slice) {
  EXPECT_NEAR(loaded_gib("deepseek-ai/deepseek-r1", "H200", 8), 79.74, 0.5);
  const ModelConfig model = find_model("deepseek-ai/deepseek-r1")->config;
  EXPECT_GT(loaded_gib("deepseek-ai/deepseek-r1", "H200", 8) * 8,
            stored_weight_bytes(model) / (1 << 30) + 5);
}

TEST(LoadedWeights, of_one_gpu_are_those_that_are_stored) {
  const ModelConfig model = find_model("qwen/qwen3-32b")->config;
  EXPECT_NEAR(loaded_gib("qwen/qwen3-32b", "H100", 1), stored_weight_bytes(model) / (1 << 30),
              0.002 * 61);
}

}  // namespace
}  // namespace plimsoll
