#include "perf/kv_capacity.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

const GpuSpec kH100 = *find_gpu("H100", SemanticsMode::blis);

constexpr KvSettings kReference{.budget = KvBudget::summed,
                                .activations = ActivationPeak::flat,
                                .shapes = ModelShapes::reference,
                                .build = {}};

std::string error_of(const ModelConfig& model, std::int64_t tp, std::int64_t block_size = 16,
                     double utilization = 0.9) {
  Parallelism parallelism;
  parallelism.tp = tp;
  KvSettings settings = kReference;
  settings.block_size = block_size;
  settings.gpu_memory_utilization = utilization;
  auto capacity = kv_capacity(model, kH100, parallelism, settings);
  return capacity ? "no error" : format(capacity.error());
}

TEST(KvCapacity, shows_what_the_memory_is_spent_on) {
  const ModelConfig model = find_model("llama-3.1-8b-instruct")->config;
  const auto capacity = kv_capacity(model, kH100, {}, {});
  ASSERT_TRUE(capacity.has_value());
  EXPECT_EQ(capacity->available_gib, 72);
  EXPECT_NEAR(capacity->weights_gib, 14.96, 0.01);    // 8.03e9 parameters of 2 bytes
  EXPECT_NEAR(capacity->activation_gib, 1.19, 0.01);  // 38.3 bytes of 256 x 128,256 logits
  EXPECT_EQ(capacity->non_torch_gib, 0.15);
  EXPECT_EQ(capacity->bytes_per_token_per_gpu, 32 * 2 * 128 * 8 * 2);
}

TEST(KvCapacity, of_each_gpu_grows_with_tp_as_memory_does) {
  const ModelConfig model = find_model("llama-3.1-8b-instruct")->config;
  const auto tokens = [&](std::int64_t tp) {
    Parallelism parallelism;
    parallelism.tp = tp;
    return kv_capacity(model, kH100, parallelism, {})->total_blocks * 16;
  };
  // 72 - 14.96 - 1.187 - 0.15 GiB, at 128 KiB per token.
  EXPECT_NEAR(static_cast<double>(tokens(1)), (72 - 14.96 - 1.187 - 0.15) * 8192, 100);
  // Per GPU 72 - 14.96 / 2 - 1.187 - 0.15 GiB, at 64 KiB per token.
  EXPECT_NEAR(static_cast<double>(tokens(2)), (72 - 14.96 / 2 - 1.187 - 0.15) * 16384, 200);
  // Eight heads on 16 GPUs: each keeps a whole one, so more GPUs only add what the weights leave.
  // Of 8 heads' projections of keys and values, 64 MiB each over all layers, there are two copies.
  const double per_token_kib = 32 * 2 * 128 * 2 / 1024.0;
  EXPECT_NEAR(static_cast<double>(tokens(16)),
              (72 - (14.96 + 0.5) / 16 - 1.187 - 0.15) * 1024 * 1024 / per_token_kib, 1500);
}

// The blocks that two engines reported (vLLM 0.15 on H100, steps of 2,048 tokens of 128 requests).
TEST(KvCapacity, is_within_half_a_percent_of_what_engines_found) {
  const GpuSpec gpu = *find_gpu("H100", SemanticsMode::vllm);
  KvSettings settings;
  settings.max_num_seqs = 128;
  const auto blocks = [&](const char* model, std::int64_t tp) {
    Parallelism parallelism;
    parallelism.tp = tp;
    const auto capacity = kv_capacity(find_model(model)->config, gpu, parallelism, settings);
    return static_cast<double>(capacity->total_blocks);
  };
  EXPECT_NEAR(blocks("meta-llama/llama-2-7b-hf", 1), 7462, 0.005 * 7462);
  EXPECT_NEAR(blocks("codellama/codellama-34b-instruct-hf", 2), 26602, 0.005 * 26602);
}

TEST(KvCapacity, is_what_larger_steps_leave) {
  const ModelConfig model = find_model("llama-3.1-8b-instruct")->config;
  KvSettings settings;
  const auto usual = kv_capacity(model, kH100, {}, settings);
  settings.max_num_batched_tokens = 65'536;
  const auto large = kv_capacity(model, kH100, {}, settings);
  ASSERT_TRUE(usual.has_value() && large.has_value());
  // Hidden states, read and written, and three MLP vectors of each token, of 2 bytes.
  const double activations = 65'536 * 2.0 * (2 * 4096 + 3 * 14336) / (1 << 30);
  EXPECT_NEAR(large->activation_gib, activations, 1e-9);
  EXPECT_NEAR(static_cast<double>(usual->total_blocks - large->total_blocks),
              (activations - usual->activation_gib) * 512, 1);  // 2 MiB per block

  settings.max_num_batched_tokens = 100'000'000;
  const auto too_large = kv_capacity(model, kH100, {}, settings);
  ASSERT_FALSE(too_large.has_value());
  EXPECT_NE(format(too_large.error()).find("--max-num-batched-tokens"), std::string::npos);
}

TEST(KvCapacity, names_the_gpus_a_model_needs_at_least) {
  const ModelConfig model = find_model("llama-3.1-70b-instruct")->config;
  const std::string error = error_of(model, 1);
  EXPECT_NE(error.find("does not fit on 1 x H100: 131.4 GiB of weights"), std::string::npos)
      << error;
  EXPECT_NE(error.find("needs at least 2 GPUs"), std::string::npos) << error;
}

TEST(KvCapacity, names_a_group_that_the_heads_allow) {
  const auto hint = [](const char* model, const char* gpu) {
    const auto capacity = kv_capacity(find_model(model)->config,
                                      *find_gpu(gpu, SemanticsMode::vllm), Parallelism{}, {});
    return capacity ? "no error" : format(capacity.error());
  };
  // Three T4 have the memory; 40 heads are shared by 4.
  const std::string on_t4 = hint("qwen/qwen3-14b", "T4");
  EXPECT_NE(on_t4.find("needs at least 4 GPUs"), std::string::npos) << on_t4;
  const std::string on_l4 = hint("llama-3.1-70b-instruct", "L4");
  EXPECT_NE(on_l4.find("needs at least 8 GPUs"), std::string::npos) << on_l4;
  EXPECT_EQ(on_l4.find("--dp"), std::string::npos) << on_l4;
  // Experts may be spread over data-parallel ranks instead.
  const std::string of_experts = hint("deepseek-ai/deepseek-r1", "H200");
  EXPECT_NE(of_experts.find("8 GPUs per instance (--tp), or --dp 8 with --enable-expert-parallel"),
            std::string::npos)
      << of_experts;
}

TEST(KvCapacity, lets_every_catalog_model_fit_its_default_deployment) {
  for (const std::string& name : model_names()) {
    const auto model = find_model(name);
    const auto gpu = find_gpu(model->default_gpu, SemanticsMode::vllm);
    Parallelism parallelism;
    parallelism.tp = model->default_tp;
    const auto capacity = kv_capacity(model->config, *gpu, parallelism, {});
    EXPECT_TRUE(capacity.has_value()) << format(capacity.error());
  }
}

TEST(KvCapacity, shares_its_pool_with_the_states_of_the_requests_that_are_there) {
  const ModelConfig model = find_model("qwen/qwen3-next-80b-a3b")->config;
  Parallelism parallelism;
  parallelism.tp = 4;
  KvSettings settings;
  const double state_mib = 4 * kv_layers_of(model, 4).bytes_per_request / (1 << 20);
  EXPECT_NEAR(state_mib, 37.7, 0.1);  // 36 layers of 1.05 MiB

  // Once all that fit are there, more places take nothing.
  settings.max_num_batched_tokens = 8;  // and have no logits
  const auto full = [&](std::int64_t requests) {
    settings.max_num_seqs = requests;
    return kv_capacity(model, kH100, parallelism, settings)->total_blocks;
  };
  EXPECT_EQ(full(20'000), full(40'000));
}

// 64 to 1,024 requests: vLLM takes the logits of 960 more at its profile, and nothing else.
TEST(KvCapacity, loses_to_more_requests_what_their_logits_take) {
  const ModelConfig model = find_model("openai/gpt-oss-20b")->config;
  KvSettings settings;
  settings.max_num_batched_tokens = 8192;
  const auto blocks = [&](std::int64_t requests) {
    settings.max_num_seqs = requests;
    return static_cast<double>(kv_capacity(model, kH100, {}, settings)->total_blocks);
  };
  const double logits_gib = 960 * 201'088 * 38.3 / (1 << 30);
  const double per_block_gib = 12 * 2 * 64 * 8 * 2.0 * 16 / (1 << 30);  // of layers without window
  // A request of 1,024 tokens has windows of 128 in the other half: an eighth of its tokens.
  EXPECT_NEAR(blocks(64) - blocks(1024), logits_gib / per_block_gib,
              0.01 * blocks(64) + 0.125 * blocks(1024));
}

TEST(KvCapacity, holds_more_tokens_where_windows_bound_what_is_kept) {
  const ModelConfig model = find_model("openai/gpt-oss-20b")->config;
  KvSettings settings;
  settings.max_num_seqs = 16;
  const auto capacity = kv_capacity(model, kH100, {}, settings);
  ASSERT_TRUE(capacity.has_value());
  // Half the layers keep 16 x 128 tokens at most; the rest of the memory is the other half's.
  const double free_gib = capacity->available_gib - capacity->weights_gib -
                          capacity->activation_gib - capacity->non_torch_gib;
  const double half = 12 * 2 * 64 * 8 * 2;
  const double tokens = (free_gib * 1024 * 1024 * 1024 - 16 * 128 * half) / half;
  EXPECT_NEAR(static_cast<double>(capacity->total_blocks) * 16, tokens, 32);
}

// Without the hybrid manager both halves of the layers keep every token; where no layer does by
// itself, all keep their windows as before.
TEST(KvCapacity, halves_where_windows_keep_every_token) {
  KvSettings settings;
  settings.max_num_seqs = 16;
  const auto blocks = [&](const char* model, bool no_hybrid_cache) {
    settings.no_hybrid_cache = no_hybrid_cache;
    return static_cast<double>(
        kv_capacity(find_model(model)->config, kH100, {}, settings)->total_blocks);
  };
  EXPECT_NEAR(blocks("openai/gpt-oss-20b", true) / blocks("openai/gpt-oss-20b", false), 0.5, 0.001);
  EXPECT_EQ(blocks("bigcode/starcoder2-7b", true), blocks("bigcode/starcoder2-7b", false));
  EXPECT_EQ(blocks("qwen/qwen3-14b", true), blocks("qwen/qwen3-14b", false));
}

TEST(KvCapacity, of_layers_that_all_have_windows_is_room_for_the_longest_requests) {
  const ModelConfig model = find_model("bigcode/starcoder2-7b")->config;
  KvSettings settings;
  settings.max_num_seqs = 16;
  const auto capacity = kv_capacity(model, kH100, {}, settings);
  ASSERT_TRUE(capacity.has_value());
  EXPECT_EQ(capacity->total_blocks, 16 * 16384 / 16);
}

TEST(KvToTransfer, is_every_token_in_all_layers_but_with_a_hybrid_cache) {
  const ModelConfig model = find_model("openai/gpt-oss-20b")->config;
  const auto of = [&](ModelShapes shapes, bool hybrid) {
    return *kv_to_transfer(model, {}, KvBudget::per_gpu, shapes, hybrid);
  };
  const KvLayers hybrid = of(ModelShapes::exact, true);
  EXPECT_EQ(hybrid.windowed.size(), 1u);
  const KvLayers all = of(ModelShapes::exact, false);
  EXPECT_TRUE(all.windowed.empty());
  EXPECT_EQ(all.bytes_per_token, hybrid.bytes_of_new_token());
  EXPECT_TRUE(of(ModelShapes::reference, true).windowed.empty());
  const KvLayers half =
      *kv_to_transfer(model, {.tp = 1, .pp = 2}, KvBudget::per_gpu, ModelShapes::exact, true);
  EXPECT_EQ(half.bytes_of_request(5000), hybrid.bytes_of_request(5000) / 2);
}

TEST(KvCapacity, refuses_what_makes_no_sense) {
  ModelConfig model = find_model("llama-3.1-8b-instruct")->config;
  EXPECT_NE(error_of(model, 3).find("TP 3 does not divide the 8 KV heads"), std::string::npos);
  EXPECT_NE(error_of(model, 0).find("TP must be at least 1"), std::string::npos);
  EXPECT_NE(error_of(model, 1, 0).find("block size"), std::string::npos);
  EXPECT_NE(error_of(model, 1, 16, 0).find("utilisation"), std::string::npos);
  EXPECT_NE(error_of(model, 1, 16, 1.1).find("utilisation"), std::string::npos);
  EXPECT_NE(error_of(model, 1, 16, 0.001).find("no number of these GPUs"), std::string::npos);
  EXPECT_NE(error_of(model, 1, 1'000'000'000).find("single KV block"), std::string::npos);
  model.hidden_act = "gelu";
  EXPECT_NE(error_of(model, 1).find("activation \"gelu\""), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
