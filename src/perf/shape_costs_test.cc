#include "perf/shape_costs.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/latency_models.h"

namespace plimsoll {
namespace {

const GpuSpec kH100InVllm = *find_gpu("H100", SemanticsMode::vllm);

StepTimePtr made_model(const char* name, const std::string& model, const GpuSpec& gpu,
                       std::int64_t tp, ModelShapes shapes = ModelShapes::exact) {
  LatencyInputs in;
  in.model = find_model(model)->config;
  in.gpu = gpu;
  in.parallelism.tp = tp;
  in.shapes = shapes;
  auto made = make_latency_model(name, in);
  EXPECT_TRUE(made.has_value()) << model << ": " << format(made.error());
  return made ? *made : nullptr;
}

BatchShape decoding_each(std::int64_t requests, std::int64_t context_each) {
  BatchShape batch;
  batch.decode_requests = requests;
  batch.decode_context = requests * context_each;
  return batch;
}

TEST(ShapeCosts, of_a_plain_transformer_are_those_of_its_matrices) {
  const ShapeCosts costs =
      shape_costs(find_model("llama-3.1-8b-instruct")->config, kH100InVllm, {});
  const double d = 4096;
  const double layer = d * (2 * d + 2 * 1024) + 3 * d * 14336;
  EXPECT_DOUBLE_EQ(costs.compute_us_per_token, 32 * 2 * layer / 989e6);
  EXPECT_DOUBLE_EQ(costs.weights_us, 32 * layer * 2 / 3.35e6);
  EXPECT_EQ(costs.experts_us, 0);
  ASSERT_EQ(costs.contexts.size(), 1u);
  EXPECT_EQ(costs.contexts[0].reach, 0);
  EXPECT_DOUBLE_EQ(costs.contexts[0].decode_us_per_pair, 32 * 4 * d / 989e6);
  EXPECT_DOUBLE_EQ(costs.contexts[0].read_us_per_token, 32 * 2 * 1024 * 2 / 3.35e6);
  EXPECT_DOUBLE_EQ(costs.head_weights_us, 128256 * d * 2 / 3.35e6);
}

TEST(ShapeCosts, use_the_gpus_own_rates_where_it_has_them) {
  const GpuSpec a100 = *find_gpu("A100-80", SemanticsMode::vllm);
  const GpuSpec b200 = *find_gpu("B200", SemanticsMode::vllm);
  EXPECT_EQ(peak_flop_per_us(kH100InVllm, MatrixFormat::fp8), 1978e6);
  EXPECT_EQ(peak_flop_per_us(kH100InVllm, MatrixFormat::fp4), 989e6);
  EXPECT_EQ(peak_flop_per_us(kH100InVllm, MatrixFormat::mxfp4), 989e6);
  EXPECT_EQ(peak_flop_per_us(a100, MatrixFormat::fp8), 312e6);
  EXPECT_EQ(peak_flop_per_us(a100, MatrixFormat::int8), 624e6);
  EXPECT_EQ(peak_flop_per_us(b200, MatrixFormat::fp4), 9000e6);
  EXPECT_EQ(peak_flop_per_us(b200, MatrixFormat::mxfp4), 4500e6);
}

TEST(ShapeCosts, bound_what_a_batch_looks_at_by_the_reach_of_a_layer) {
  BatchShape batch = decoding_each(4, 1000);
  batch.add_prefill(100, 900, 1000);
  const Context all = within_reach({0, 0, 0, 0}, batch, 95000);
  EXPECT_EQ(all.decode_read, 4000);
  EXPECT_EQ(all.prefill_pairs, 95000);
  EXPECT_EQ(all.prefill_read, 1000);
  const Context near = within_reach({128, 0, 0, 0}, batch, 95000);
  EXPECT_EQ(near.decode_read, 4 * 128);
  EXPECT_EQ(near.prefill_pairs, 100 * 128);
  EXPECT_EQ(near.prefill_read, 100 + 128);
}

TEST(StepTimes, of_every_catalog_model_are_sound) {
  for (const std::string& name : model_names()) {
    const auto entry = find_model(name);
    const GpuSpec gpu = *find_gpu(entry->default_gpu, SemanticsMode::vllm);
    for (const char* model : {"trained-physics", "roofline"}) {
      const auto step_time = made_model(model, name, gpu, entry->default_tp);
      ASSERT_NE(step_time, nullptr);
      const double one = step_time->step_us(decoding_each(1, 100));
      const double longer = step_time->step_us(decoding_each(1, 8000));
      const double more = step_time->step_us(decoding_each(64, 100));
      BatchShape prefill;
      prefill.add_prefill(2048, 0, 2048);
      EXPECT_GT(one, 10) << name << " " << model;
      EXPECT_LT(one, 1e6) << name << " " << model;
      EXPECT_GE(longer, one) << name << " " << model;
      EXPECT_GE(more, one) << name << " " << model;
      EXPECT_GT(step_time->step_us(prefill), one) << name << " " << model;
    }
  }
}

TEST(StepTimes, of_a_plain_transformer_do_not_depend_on_how_its_shape_is_read) {
  BatchShape batch = decoding_each(32, 700);
  batch.add_prefill(512, 0, 512);
  for (const char* name : {"llama-3.1-8b-instruct", "llama-3.1-70b-instruct", "qwen3-14b"}) {
    const double exact = made_model("trained-physics", name, kH100InVllm, 4)->step_us(batch);
    const double reference =
        made_model("trained-physics", name, kH100InVllm, 4, ModelShapes::reference)->step_us(batch);
    EXPECT_NEAR(exact, reference, 1e-9 * reference) << name;
  }
}

TEST(StepTimes, stop_growing_with_the_context_where_layers_have_windows) {
  const auto growth = [](const char* name) {
    const auto model = made_model("roofline", name, kH100InVllm, 1);
    return model->step_us(decoding_each(8, 40000)) - model->step_us(decoding_each(8, 20000));
  };
  // Of 36 layers 18 read all: 8 x 20000 tokens of 2 x 64 x 8 values of two bytes.
  EXPECT_NEAR(growth("openai/gpt-oss-120b"), 18.0 * 8 * 20000 * 2 * 64 * 8 * 2 / 3.35e6, 1e-3);
  const auto model = made_model("trained-physics", "openai/gpt-oss-120b", kH100InVllm, 1);
  std::vector<double> leap(3);
  model->decode_steps_us(8, 1000, leap);
  BatchShape batch = decoding_each(8, 125);
  for (const double step : leap) {
    EXPECT_EQ(step, model->step_us(batch));
    batch.decode_context += 8;
  }
}

TEST(StepTimes, are_shorter_for_narrower_weights) {
  // Enough requests to touch nearly all experts: only those are 4-bit in the NVFP4 checkpoint.
  const auto decode_us = [](const char* name) {
    return made_model("roofline", name, kH100InVllm, 8)->step_us(decoding_each(256, 100));
  };
  const double wide = decode_us("qwen/qwen3-235b-a22b");
  EXPECT_NEAR(decode_us("qwen/qwen3-235b-a22b-fp8") / wide, 0.5, 0.06);
  EXPECT_NEAR(decode_us("nvidia/qwen3-235b-a22b-nvfp4") / wide, 0.3, 0.06);
}

}  // namespace
}  // namespace plimsoll
