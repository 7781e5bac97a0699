#include "perf/instance_work.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Two layers of width 8, four heads of 2, two KV heads, MLP 16, 100 words, 2 bytes everywhere.
ModelConfig small_model() {
  ModelConfig model;
  model.id = "small";
  model.layers = 2;
  model.hidden = 8;
  model.heads = 4;
  model.kv_heads = 2;
  model.intermediate = 16;
  model.vocab = 100;
  model.compute_bytes = model.weight_bytes = 2;
  return model;
}

GpuSpec small_gpu() {
  GpuSpec gpu;
  gpu.name = "small";
  gpu.tflops_bf16 = 1;
  gpu.memory_bandwidth_tb_s = 0.5;
  gpu.memory_gib = 1;
  return gpu;
}

TEST(InstanceWork, counts_every_matrix_once) {
  const auto work = instance_work(small_model(), small_gpu(), {});
  ASSERT_TRUE(work) << format(work.error());
  // A layer: Q and output 8x8 each, K and V 8x4 each, MLP 3 x 8x16: 192 + 384 = 576 weights.
  EXPECT_DOUBLE_EQ(work->flops_per_token, 2 * 2 * 576);
  EXPECT_DOUBLE_EQ(work->flops_per_attended_token, 2 * 4 * 4 * 2);  // layers, 4 FLOPs, heads, width
  EXPECT_DOUBLE_EQ(work->flops_per_sampled_token, 2 * 8 * 100);
  EXPECT_DOUBLE_EQ(work->resident_bytes, 2 * (2 * 576 + 800));
  EXPECT_DOUBLE_EQ(work->bytes_per_kv_token,
                   2 * 2 * 2 * 2 * 2);  // layers, K+V, heads, width, bytes
  EXPECT_DOUBLE_EQ(work->bytes_per_token, 8 * 2 + 32);
  EXPECT_DOUBLE_EQ(work->peak_flops, 1e12);
  EXPECT_DOUBLE_EQ(work->peak_bytes, 0.5e12);
}

TEST(InstanceWork, adds_up_over_a_run) {
  const auto work = instance_work(small_model(), small_gpu(), {});
  ASSERT_TRUE(work);
  // A prompt of 3 tokens and 2 decode steps: 1 + 2 + 3 + 4 + 5 attended; 3 + 4 + 5 read.
  const WorkDone done{3, 5, 3, 15, 12};
  EXPECT_DOUBLE_EQ(flops_of(*work, done), 5 * 2304 + 15 * 64 + 3 * 1600);
  EXPECT_DOUBLE_EQ(bytes_of(*work, done), 3 * 3904 + 5 * 48 + 12 * 32);
  EXPECT_EQ(bytes_of(*work, {}), 0);
}

TEST(InstanceWork, counts_the_experts_that_tokens_choose) {
  ModelConfig model = small_model();
  model.experts = 4;
  model.experts_per_token = 1;
  model.moe_intermediate = 16;
  const auto work = instance_work(model, small_gpu(), {});
  ASSERT_TRUE(work) << format(work.error());
  // Attention 192, router 32, one expert of 384.
  EXPECT_DOUBLE_EQ(work->flops_per_token, 2 * 2 * (192 + 32 + 384));
  EXPECT_DOUBLE_EQ(work->experts_bytes, 2 * 2 * 4 * 384);
  EXPECT_DOUBLE_EQ(work->idle_expert_share, 0.75);
  // One step with two tokens touches 1 - 0.75^2 of the experts.
  const double touched =
      bytes_of(*work, {1, 2, 0, 0, 0}) - work->resident_bytes - 2 * work->bytes_per_token;
  EXPECT_NEAR(touched / work->experts_bytes, 0.4375, 1e-12);
}

TEST(InstanceWork, grows_with_the_gpus_of_the_instance) {
  Parallelism parallelism;
  parallelism.tp = 2;
  const auto work = instance_work(small_model(), small_gpu(), parallelism);
  ASSERT_TRUE(work);
  EXPECT_DOUBLE_EQ(work->peak_flops, 2e12);
  EXPECT_DOUBLE_EQ(work->resident_bytes, 3904);
}

}  // namespace
}  // namespace plimsoll
