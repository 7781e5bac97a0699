#include "perf/latency_models.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

LatencyInputs inputs(const char* model, std::int64_t tp) {
  LatencyInputs in;
  in.model = find_model(model)->config;
  in.gpu = *find_gpu("H100", SemanticsMode::blis);
  in.parallelism.tp = tp;
  in.shapes = ModelShapes::reference;
  return in;
}

LatencyInputs llama(std::int64_t tp = 1) { return inputs("llama-3.1-8b-instruct", tp); }

std::string error_of(const char* name, const LatencyInputs& in) {
  auto model = make_latency_model(name, in);
  return model ? "no error" : format(model.error());
}

TEST(LatencyModels, suggest_the_nearest_for_an_unknown_name) {
  EXPECT_NE(error_of("rofline", llama()).find("did you mean \"roofline\"?"), std::string::npos);
}

TEST(LatencyModels, refuse_a_tp_that_does_not_divide_the_heads) {
  const std::string error = error_of("trained-physics", llama(16));
  EXPECT_NE(error.find("TP 16 does not divide the 8 KV heads"), std::string::npos) << error;
  EXPECT_NE(error.find("TP degrees that do: 1, 2, 4, 8"), std::string::npos) << error;
  // Copies of KV heads, where the shapes are exact.
  LatencyInputs exact = llama(64);
  exact.shapes = ModelShapes::exact;
  const std::string more = error_of("kernel", exact);
  EXPECT_NE(more.find("TP degrees that do: 1, 2, 4, 8, 16, 32\n"), std::string::npos) << more;
  EXPECT_NE(error_of("trained-physics", llama(3)).find("32 attention heads"), std::string::npos);
  for (const char* name : {"trained-physics", "roofline"}) {
    EXPECT_NE(error_of(name, llama(0)).find("TP must be at least 1"), std::string::npos);
  }
}

TEST(LatencyModels, want_an_moe_model_for_data_parallelism) {
  LatencyInputs dense = llama();
  dense.parallelism.dp = 2;
  EXPECT_NE(error_of("trained-physics", dense).find("is dense"), std::string::npos);
  LatencyInputs moe = inputs("qwen3-30b-a3b", 1);
  moe.parallelism.dp = 2;
  EXPECT_EQ(error_of("trained-physics", moe), "no error");
  EXPECT_NE(error_of("roofline", moe).find("no data parallelism"), std::string::npos);
}

TEST(LatencyModels, check_given_coefficients) {
  LatencyInputs in = llama();
  in.coefficients = Coefficients{{1, 2}, {1, 2, 3, 4, 5, 6, 7}};
  EXPECT_NE(error_of("trained-physics", in).find("at least 3 values in --alpha-coeffs, got 2"),
            std::string::npos);
  in.coefficients = Coefficients{{1, 2, 3}, {1, 2, 3}};
  EXPECT_NE(error_of("trained-physics", in).find("at least 7 values in --beta-coeffs"),
            std::string::npos);
  EXPECT_EQ(error_of("blackbox", in), "no error");
  EXPECT_NE(error_of("roofline", in).find("takes no coefficients"), std::string::npos);
  in.coefficients = Coefficients{{1, 2, 3}, {1, -2, 3}};
  EXPECT_NE(error_of("blackbox", in).find("not negative, got -2"), std::string::npos);
  in.coefficients = Coefficients{{1, 2, 3}, {1, 2, 3, 4}};
  EXPECT_NE(error_of("blackbox", in).find("takes three values"), std::string::npos);
}

TEST(LatencyModels, refuse_unusable_models_and_gpus) {
  LatencyInputs in = llama();
  in.gpu.memory_bandwidth_tb_s = 0;
  EXPECT_NE(error_of("roofline", in).find("no memory bandwidth"), std::string::npos);
  in = llama();
  in.gpu.mfu_decode = 0;
  EXPECT_NE(error_of("roofline", in).find("no MFU"), std::string::npos);
  in = inputs("mixtral-8x7b-v0.1", 1);
  in.model.experts_per_token = 9;
  EXPECT_NE(error_of("roofline", in).find("uses 9 of its 8 experts"), std::string::npos);
  in = llama();
  in.model.intermediate = 0;
  EXPECT_NE(error_of("trained-physics", in).find("no MLP width"), std::string::npos);
}

TEST(TrainedPhysics, has_the_reference_s_times_around_a_request) {
  const auto model = make_latency_model("trained-physics", llama());
  EXPECT_EQ((*model)->queueing_us(512), 15563.199579);
  EXPECT_EQ((*model)->queueing_us(1), 15563.199579);
  EXPECT_EQ((*model)->output_token_us(), 45.907545);
  EXPECT_EQ((*model)->post_decode_us(), 777.3455);
}

TEST(Blackbox, is_linear_in_the_tokens) {
  LatencyInputs in = llama();
  in.coefficients = Coefficients{{10, 2, 5}, {1000, 10, 100}};
  const auto model = make_latency_model("blackbox", in);
  BatchShape batch;
  EXPECT_EQ((*model)->step_us(batch), 1000);
  batch.add_prefill(50, 20, 100);
  batch.decode_requests = 3;
  EXPECT_EQ((*model)->step_us(batch), 1000 + 500 + 300);
  EXPECT_EQ((*model)->queueing_us(7), 24);
  EXPECT_EQ((*model)->output_token_us(), 5);
}

TEST(Roofline, charges_decode_of_a_small_batch_by_its_weights) {
  // One decode step at TP 1 reads all weights once: bytes / bandwidth, here 2 bytes each without
  // embeddings and with two MLP matrices.
  const auto model = make_latency_model("roofline", llama());
  BatchShape batch;
  batch.decode_requests = 1;
  const double d = 4096;
  const double weights = 32 * (d * (d + 2 * 1024) + d * d + 2 * d * 14336) * 2;
  const double kv_and_activations = 32 * (2 * 1024 * 2 + d * 2);
  EXPECT_NEAR((*model)->step_us(batch), (weights + kv_and_activations) / 3.35e6, 1e-6);
}

TEST(Roofline, rounds_a_step_of_whole_microseconds_as_the_reference_does) {
  // These bytes take 6144 us exactly; in seconds first, as the reference counts, a last bit less.
  LatencyInputs in = inputs("llama-3.1-70b-instruct", 8);
  in.gpu = *find_gpu("A100-80", SemanticsMode::blis);
  const auto model = make_latency_model("roofline", in);
  BatchShape batch;
  batch.decode_requests = 3;
  batch.decode_context = 2731;
  EXPECT_LT((*model)->step_us(batch), 6144);
  EXPECT_GT((*model)->step_us(batch), 6143.999);
}

TEST(Roofline, reads_more_experts_the_more_tokens_choose_them) {
  const auto model = make_latency_model("roofline", inputs("mixtral-8x7b-v0.1", 2));
  BatchShape one;
  one.decode_requests = 1;
  BatchShape many;
  many.decode_requests = 64;
  EXPECT_GT((*model)->step_us(many), 2.5 * (*model)->step_us(one));  // 2 of 8 experts, then all
}

TEST(MoeCommBackend, has_a_family_or_a_clear_error) {
  EXPECT_EQ(*find_moe_comm_backend("naive"), MoeCommFamily::all_gather);
  EXPECT_EQ(*find_moe_comm_backend("pplx"), MoeCommFamily::copy_per_expert);
  EXPECT_NE(format(find_moe_comm_backend("plpx").error()).find("did you mean \"pplx\"?"),
            std::string::npos);
}

}  // namespace
}  // namespace plimsoll
