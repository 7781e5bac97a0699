#include "perf/draft_head.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/kv_capacity.h"
#include "perf/latency_models.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

ModelConfig config_of(const char* model) { return find_model(model)->config; }

double without_vocabulary(ModelConfig model) {
  model.vocab = 0;
  return count_parameters(model).total;
}

TEST(PredictionLayer, is_one_more_of_the_last_kind_that_keeps_keys) {
  const ModelConfig deepseek = config_of("deepseek-ai/deepseek-v3");
  const ModelConfig layer = prediction_layer(deepseek);
  ASSERT_EQ(layer.layers_by_kind.size(), 1u);
  EXPECT_EQ(layer.layers_by_kind[0].count, 1);
  EXPECT_EQ(layer.layers_by_kind[0].layer, deepseek.layers_by_kind.back().layer);
  EXPECT_EQ(layer.layers_by_kind[0].layer.mlp.experts, 256);
  EXPECT_EQ(layer.quantization, deepseek.quantization);
  // Published: 14 billion with embeddings and head, of which both are the model's.
  EXPECT_NEAR(without_vocabulary(layer) / 1e9, 11.5, 0.2);

  const Layer hybrid = prediction_layer(config_of("qwen3.5-397b-a17b")).layers_by_kind[0].layer;
  EXPECT_EQ(hybrid.attention.kind, AttentionKind::standard);
}

TEST(EagleHead, is_a_dense_layer_of_16_bits_with_few_words) {
  const ModelConfig llama = config_of("llama-3.1-8b-instruct");
  const ModelConfig head = eagle_head(llama);
  EXPECT_EQ(head.layers_by_kind[0].layer, llama.layers_by_kind[0].layer);
  EXPECT_EQ(head.vocab, 32'000);

  const ModelConfig sparse = eagle_head(config_of("minimax-m3"));
  EXPECT_FALSE(sparse.is_moe());
  EXPECT_EQ(sparse.layers_by_kind[0].layer.mlp.kind, MlpKind::dense);
  EXPECT_EQ(sparse.layers_by_kind[0].layer.mlp.width, 12'288);
  EXPECT_EQ(sparse.quantization.dense_mlp.bytes, 2);
  EXPECT_EQ(eagle_head(config_of("gpt-oss-120b")).layers_by_kind[0].layer.mlp.width, 4 * 2880);
}

LatencyInputs with_prediction_layer(std::int64_t ranks) {
  LatencyInputs in;
  in.model = config_of("deepseek-ai/deepseek-v3");
  in.gpu = *find_gpu("H200", SemanticsMode::vllm);
  in.parallelism.dp = ranks;
  in.parallelism.ep = ranks;
  in.observer = Observer::engine;
  Speculation speculation;
  speculation.acceptance = {1};
  speculation.draft = prediction_layer(in.model);
  speculation.draft_is_layer = true;
  in.speculation = speculation;
  return in;
}

// A step of the draft is about one of 61 layers, and the output head once more.
TEST(PredictionLayer, costs_little_beside_the_model_whose_layout_it_has) {
  LatencyInputs in = with_prediction_layer(16);
  BatchShape batch;
  batch.decode_requests = 64 * 16;
  batch.decode_context = batch.decode_requests * 1000;
  const auto step_us = [&] { return (*make_latency_model("kernel", in))->step_us(batch); };
  const double with_draft = step_us();
  in.speculation->draft.reset();
  const double without = step_us();
  EXPECT_GT(with_draft, without * (1 + 1.0 / 61));
  EXPECT_LT(with_draft, without * (1 + 3.0 / 61));
}

TEST(PredictionLayer, takes_no_memory_for_embeddings_and_an_output_head) {
  const LatencyInputs in = with_prediction_layer(16);
  KvSettings settings;
  const auto weights = [&](const Speculation* speculation) {
    settings.speculation = speculation;
    return kv_capacity(in.model, in.gpu, in.parallelism, settings)->weights_gib;
  };
  const double layer_gib = weights(&*in.speculation) - weights(nullptr);
  EXPECT_GT(layer_gib, 0);
  Speculation own = *in.speculation;
  own.draft_is_layer = false;
  EXPECT_GT(weights(&own) - weights(nullptr), layer_gib);
}

}  // namespace
}  // namespace plimsoll
