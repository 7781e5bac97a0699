#include "perf/model_error.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

KvInterval interval_of(const char* name, const char* gpu_name, std::int64_t* blocks) {
  const ModelConfig model = find_model(name)->config;
  const GpuSpec gpu = *find_gpu(gpu_name, SemanticsMode::vllm);
  const auto capacity = kv_capacity(model, gpu, {}, {});
  *blocks = capacity->total_blocks;
  return *kv_interval(model, gpu, {}, {}, *capacity);
}

TEST(KvInterval, holds_the_blocks_themselves_and_is_wider_above) {
  std::int64_t blocks = 0;
  const KvInterval interval = interval_of("qwen/qwen3-14b", "H100", &blocks);
  EXPECT_LT(interval.low, blocks);
  // Builds whose sampler does not sort have room for more.
  EXPECT_GT(interval.high - blocks, blocks - interval.low);
  EXPECT_LT(static_cast<double>(interval.high), 1.05 * static_cast<double>(blocks));
}

TEST(KvInterval, is_wider_on_gpus_of_which_there_is_no_log) {
  std::int64_t blocks = 0;
  const auto width = [&](const char* gpu) {
    const KvInterval interval = interval_of("qwen/qwen3-14b", gpu, &blocks);
    return static_cast<double>(interval.high - interval.low) / 1e3;
  };
  EXPECT_GT(width("H100-NVL"), 1.2 * width("H100"));
}

TEST(KvInterval, begins_at_none_where_a_build_may_refuse_to_start) {
  std::int64_t blocks = 0;
  const KvInterval interval = interval_of("openai/gpt-oss-120b", "H100", &blocks);
  EXPECT_GT(blocks, 0);
  EXPECT_LT(static_cast<double>(interval.low), 0.7 * static_cast<double>(blocks));
}

TEST(KvInterval, is_not_given_with_the_references_shapes) {
  const ModelConfig model = find_model("qwen/qwen3-14b")->config;
  const GpuSpec gpu = *find_gpu("H100", SemanticsMode::vllm);
  KvSettings settings;
  settings.shapes = ModelShapes::reference;
  const auto capacity = kv_capacity(model, gpu, {}, settings);
  EXPECT_EQ(kv_interval(model, gpu, {}, settings, *capacity), std::nullopt);
}

}  // namespace
}  // namespace plimsoll
