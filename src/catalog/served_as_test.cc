#include "catalog/served_as.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

TEST(ServedAs, quantises_all_matrices_of_a_plain_model_to_8_bits) {
  const ModelConfig plain = find_model("llama-3.1-8b-instruct")->config;
  const Quantization q = served_as(plain, "fp8").quantization;
  EXPECT_EQ(q.attention, (WeightFormat{1, MatrixFormat::fp8}));
  EXPECT_EQ(q.dense_mlp, (WeightFormat{1, MatrixFormat::fp8}));
  EXPECT_EQ(q.kv_bytes, 2);
  EXPECT_EQ(served_as(plain, "bf16"), plain);
  EXPECT_EQ(served_as(plain, ""), plain);
}

TEST(ServedAs, leaves_a_configuration_of_the_same_width_alone) {
  const ModelConfig blocks = find_model("minimax-m2.5")->config;
  EXPECT_EQ(served_as(blocks, "fp8"), blocks);
  const ModelConfig mxfp4 = find_model("gpt-oss-120b")->config;
  EXPECT_EQ(served_as(mxfp4, "fp8"), mxfp4);
}

TEST(ServedAs, quantises_attention_of_4_bit_integer_checkpoints) {
  const ModelConfig dense = find_model("llama-3.3-70b-instruct")->config;
  const ModelConfig w4a16 = find_model("llama-3.3-70b-instruct-quantized.w4a16")->config;
  EXPECT_EQ(served_as(dense, "int4").quantization, w4a16.quantization);
  const Quantization experts = served_as(find_model("qwen3-30b-a3b")->config, "int4").quantization;
  EXPECT_EQ(experts.attention, experts.experts);
}

TEST(ServedAs, keeps_what_is_beside_linear_attention_in_16_bits) {
  const Quantization q = served_as(find_model("qwen3-next-80b-a3b")->config, "int4").quantization;
  EXPECT_EQ(q.attention, WeightFormat{});
  EXPECT_EQ(q.linear_attention, WeightFormat{});
  EXPECT_EQ(q.shared_experts, WeightFormat{});
  EXPECT_EQ(q.experts, (WeightFormat{4.125 / 8, MatrixFormat::bf16}));
}

TEST(ServedAs, keeps_attention_of_fp4_checkpoints_in_16_bits_but_in_plain_models) {
  const Quantization q = served_as(find_model("minimax-m2.5")->config, "nvfp4").quantization;
  EXPECT_EQ(q.attention, WeightFormat{});
  EXPECT_EQ(q.experts, (WeightFormat{0.5625, MatrixFormat::fp4}));
  EXPECT_EQ(q.kv_bytes, 1);
  const ModelConfig dense = find_model("llama-3.3-70b-instruct")->config;
  EXPECT_EQ(served_as(dense, "nvfp4").quantization.attention.bytes, 0.5625);
  EXPECT_EQ(served_as(dense, "mxfp4").quantization.attention.bytes, 4.25 / 8);
  const ModelConfig windows = find_model("gemma-3-27b-it")->config;
  EXPECT_EQ(served_as(windows, "nvfp4").quantization.attention, WeightFormat{});
}

TEST(ServedAs, knows_a_4_bit_checkpoint_from_one_that_is_multiplied_otherwise) {
  const ModelConfig int4 = find_model("kimi-k2.5")->config;
  EXPECT_EQ(served_as(int4, "int4"), int4);
  const Quantization q = served_as(int4, "nvfp4").quantization;
  EXPECT_EQ(q.experts, kNvfp4);
  EXPECT_EQ(q.attention, WeightFormat{});
  EXPECT_EQ(q.kv_bytes, 1);
  EXPECT_EQ(served_as(find_model("gpt-oss-120b")->config, "int4").quantization.experts.math,
            MatrixFormat::bf16);
}

TEST(ServedAs, sets_the_width_of_the_cache) {
  const ModelConfig plain = find_model("llama-3.1-8b-instruct")->config;
  EXPECT_EQ(with_kv_cache(plain, "fp8").quantization.kv_bytes, 1);
  EXPECT_EQ(with_kv_cache(plain, "").quantization.kv_bytes, 2);
}

}  // namespace
}  // namespace plimsoll
