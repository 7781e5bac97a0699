#include "perf/instance_work.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/latency_models.h"
#include "perf/model_size.h"

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
  Layer layer;
  layer.attention.kind = AttentionKind::standard;
  layer.attention.heads = 4;
  layer.attention.kv_heads = 2;
  layer.attention.key_width = layer.attention.value_width = 2;
  layer.mlp.kind = MlpKind::dense;
  layer.mlp.width = 16;
  layer.mlp.matrices = 3;
  model.layers_by_kind = {{2, layer}};
  return model;
}

ModelConfig small_moe() {
  ModelConfig model = small_model();
  Mlp& mlp = model.layers_by_kind[0].layer.mlp;
  mlp.kind = MlpKind::experts;
  mlp.width = 0;
  mlp.experts = 4;
  mlp.experts_per_token = 1;
  mlp.expert_width = 16;
  model.experts = 4;
  model.experts_per_token = 1;
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

InstanceWork work_of(const ModelConfig& model, const Parallelism& layout = {}) {
  const auto work = instance_work(model, small_gpu(), layout);
  EXPECT_TRUE(work.has_value()) << format(work.error());
  return *work;
}

TEST(InstanceWork, counts_every_matrix_once) {
  const InstanceWork work = work_of(small_model());
  // A layer: Q and output 8x8 each, K and V 8x4 each, MLP 3 x 8x16: 192 + 384 = 576 weights.
  EXPECT_DOUBLE_EQ(work.flops_per_token, 2 * 2 * 576);
  EXPECT_DOUBLE_EQ(work.flops_per_sampled_token, 2 * 8 * 100);
  ASSERT_EQ(work.contexts.size(), 1U);
  // Layers, FLOPs, heads, widths; layers, KV heads, widths, bytes.
  EXPECT_DOUBLE_EQ(work.contexts[0].flops_per_attended_token, 2 * 2 * 4 * (2 + 2));
  EXPECT_DOUBLE_EQ(work.contexts[0].bytes_per_kv_token, 2 * 2 * (2 + 2) * 2);
  // All weights but the embedding.
  EXPECT_DOUBLE_EQ(work.resident_bytes, stored_weight_bytes(small_model()) - 800 * 2);
  EXPECT_DOUBLE_EQ(work.bytes_per_token, 8 * 2 + 32);
  EXPECT_DOUBLE_EQ(work.peak_flops, 1e12);
  EXPECT_DOUBLE_EQ(work.peak_bytes, 0.5e12);
}

TEST(InstanceWork, adds_up_over_a_run) {
  const InstanceWork work = work_of(small_model());
  // A prompt of 3 tokens and 2 decode steps: 1 + 2 + 3 + 4 + 5 attended; 3 + 4 + 5 read.
  const WorkDone done{3, 5, 3, 15, 12};
  EXPECT_DOUBLE_EQ(flops_of(work, done), 5 * 2304 + 15 * 64 + 3 * 1600);
  EXPECT_DOUBLE_EQ(bytes_of(work, done), 3 * work.resident_bytes + 5 * 48 + 12 * 32);
  EXPECT_EQ(bytes_of(work, {}), 0);
}

// Contexts of 4 tokens on average, of which a layer with a window of 2 sees half.
TEST(InstanceWork, leaves_out_what_is_beyond_a_window) {
  ModelConfig model = small_model();
  model.layers_by_kind[0].layer.attention.window = 2;
  const WorkDone done{3, 5, 3, 20, 12};
  const double all = bytes_of(work_of(small_model()), done);
  EXPECT_DOUBLE_EQ(all - bytes_of(work_of(model), done), 12 * 32 / 2);
  EXPECT_DOUBLE_EQ(flops_of(work_of(model), done), 5 * 2304 + 20 * 64 / 2 + 3 * 1600);
}

TEST(InstanceWork, counts_the_experts_that_decoding_tokens_choose) {
  const InstanceWork work = work_of(small_moe());
  // Attention 192, router 32, one expert of 384.
  EXPECT_DOUBLE_EQ(work.flops_per_token, 2 * 2 * (192 + 32 + 384));
  EXPECT_DOUBLE_EQ(work.experts_bytes, 2 * 2 * 4 * 384);
  // One step with one token touches one of the four.
  EXPECT_DOUBLE_EQ(bytes_of(work, {1, 1, 1, 0, 0}),
                   work.resident_bytes + work.experts_bytes / 4 + work.bytes_per_token);
}

TEST(InstanceWork, grows_with_the_gpus_of_the_instance) {
  Parallelism parallelism;
  parallelism.tp = 2;
  EXPECT_DOUBLE_EQ(work_of(small_model(), parallelism).peak_flops, 2e12);
  EXPECT_DOUBLE_EQ(work_of(small_model(), parallelism).resident_bytes,
                   work_of(small_model()).resident_bytes);
}

// Steps of the kernel model, priced from the same layers: no GPU does more than its peak.
TEST(InstanceWork, is_no_model_of_the_catalog_beyond_the_peaks_of_its_gpus) {
  const GpuSpec gpu = *find_gpu("B200", SemanticsMode::vllm);
  for (const std::string& name : model_names()) {
    const auto model = find_model(name);
    ASSERT_TRUE(model) << name;
    const auto work = instance_work(model->config, gpu, {});
    const auto step_time = make_latency_model("kernel", {model->config, gpu, {}, {}});
    ASSERT_TRUE(work && step_time) << name;
    for (const std::int64_t requests : {1, 16, 256}) {
      const std::int64_t context = requests * 1000;
      BatchShape decode;
      decode.decode_requests = requests;
      decode.decode_context = context;
      const double us = (*step_time)->step_us(decode);
      const double bytes = bytes_of(*work, {1, requests, requests, context, context});
      EXPECT_LE(bytes, work->peak_bytes * us * 1e-6) << name << " " << requests;
    }
    BatchShape prefill;
    prefill.add_prefill(8192, 0, 8192);
    const double flops = flops_of(*work, {1, 8192, 1, 8192 * 8193 / 2, 0});
    EXPECT_LE(flops, work->peak_flops * (*step_time)->step_us(prefill) * 1e-6) << name;
  }
}

TEST(PowerShare, grows_with_traffic_and_arithmetic_to_the_tdp) {
  EXPECT_NEAR(power_share(0, 0), 0.25, 0.05);
  EXPECT_NEAR(power_share(0.6, 0.01), 0.77, 0.05);  // few requests: memory-bound
  EXPECT_GT(power_share(0.4, 0.15), power_share(0.6, 0.01));
  EXPECT_EQ(power_share(0.5, 0.5), 1);
}

}  // namespace
}  // namespace plimsoll
