#include "perf/engine_rules.h"

#include <gmock/gmock.h>

#include "catalog/catalog.h"
#include "catalog/served_as.h"

namespace plimsoll {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Asked {
  const char* model;
  const char* gpu;
  std::int64_t tp = 1;
  std::int64_t ep = 1;
  const char* weights = "";
};

// Empty: it starts.
std::string refusal(const Asked& asked, const std::vector<std::string>& ignored = {}) {
  const ModelConfig model = served_as(find_model(asked.model)->config, asked.weights);
  const GpuSpec gpu = *find_gpu(asked.gpu, SemanticsMode::vllm);
  const Parallelism layout{.tp = asked.tp, .ep = asked.ep};
  const auto checked = check_engine_rules({model, gpu, layout}, ignored);
  return checked ? "" : format(checked.error());
}

std::vector<std::string> notes(const Asked& asked, const std::vector<std::string>& ignored = {}) {
  const ModelConfig model = served_as(find_model(asked.model)->config, asked.weights);
  const GpuSpec gpu = *find_gpu(asked.gpu, SemanticsMode::vllm);
  const Parallelism layout{.tp = asked.tp, .ep = asked.ep};
  return engine_rule_notes({model, gpu, layout}, ignored);
}

// vllm #17569: 1,536 / 8 = 192; #25292: 768 / 4 = 192.
TEST(EngineRules, slices_of_block_fp8_experts_are_multiples_of_128) {
  EXPECT_THAT(refusal({"qwen3-235b-a22b-fp8", "H100", 8}),
              AllOf(HasSubstr("fp8-blocks"), HasSubstr("192"), HasSubstr("#17569"),
                    HasSubstr("--enable-expert-parallel")));
  EXPECT_THAT(refusal({"qwen3-30b-a3b-fp8", "H100", 4}), HasSubstr("192"));
  EXPECT_THAT(refusal({"minimax-m2.7", "H200", 8}), HasSubstr("192"));
  EXPECT_EQ(refusal({"qwen3-235b-a22b-fp8", "H100", 4}), "");
  EXPECT_EQ(refusal({"qwen3-30b-a3b-fp8", "H100", 2}), "");
  EXPECT_EQ(refusal({"deepseek-v3", "H200", 16}), "");
  EXPECT_EQ(refusal({"qwen3-235b-a22b", "H100", 8}), "");  // 16-bit weights have no blocks
}

TEST(EngineRules, expert_parallelism_keeps_experts_whole) {
  EXPECT_EQ(refusal({"qwen3-235b-a22b-fp8", "H100", 8, 8}), "");
  EXPECT_EQ(refusal({"qwen3-30b-a3b-fp8", "H100", 4, 4}), "");
}

TEST(EngineRules, tensorrt_llm_runs_on_gpus_of_nvidia) {
  const ModelConfig model = find_model("qwen3-8b")->config;
  const auto check = [&](const char* gpu, Engine engine) {
    const GpuSpec found = *find_gpu(gpu, SemanticsMode::vllm);
    const auto checked = check_engine_rules({model, found, {}, {}, true, engine}, {});
    return checked ? "" : format(checked.error());
  };
  EXPECT_THAT(check("MI300X", Engine::trtllm), HasSubstr("TensorRT-LLM refuses this"));
  EXPECT_EQ(check("MI300X", Engine::sglang), "");
  EXPECT_EQ(check("H100", Engine::trtllm), "");
}

// Qwen2.5-72B: 29,568 / 8 = 3,696 = 28.875 blocks; 7B: 18,944 / 4 = 37 blocks.
TEST(EngineRules, dense_layers_are_sliced_by_tensor_parallelism_too) {
  EXPECT_EQ(refusal({"qwen2.5-7b-instruct", "H100", 4, 1, "fp8-block"}), "");
  EXPECT_THAT(refusal({"qwen2.5-72b", "H100", 8, 1, "fp8-block"}), HasSubstr("MLPs of width"));
  EXPECT_EQ(refusal({"qwen2.5-72b", "H100", 1, 1, "fp8-block"}), "");
  EXPECT_EQ(refusal({"qwen3-32b-fp8", "H100", 8}), "");
}

TEST(EngineRules, weights_need_a_gpu_that_can_read_them) {
  EXPECT_THAT(refusal({"qwen3-8b", "V100", 1, 1, "fp8"}), HasSubstr("fp8-turing"));
  EXPECT_THAT(refusal({"qwen3-8b", "V100", 1, 1, "nvfp4"}), HasSubstr("nvfp4-turing"));
  EXPECT_THAT(refusal({"qwen3-8b", "V100", 1, 1, "int4"}), HasSubstr("int4-turing"));
  EXPECT_EQ(refusal({"qwen3-8b", "T4", 1, 1, "int4"}), "");
  EXPECT_THAT(refusal({"gpt-oss-20b", "T4"}), HasSubstr("mxfp4-ampere"));
  EXPECT_THAT(refusal({"gpt-oss-20b", "V100"}), HasSubstr("mxfp4-ampere"));
  EXPECT_THAT(refusal({"phi-4-quantized.w8a8", "B200"}), HasSubstr("int8-kernels"));
  EXPECT_THAT(refusal({"gemma-3-1b-it", "T4"}), HasSubstr("float16-unstable"));
  EXPECT_THAT(refusal({"deepseek-v3.2", "A100-80", 8}), HasSubstr("sparse-hopper"));
  EXPECT_EQ(refusal({"qwen3-8b", "V100"}), "");
  EXPECT_EQ(refusal({"qwen3-8b", "T4", 1, 1, "fp8"}), "");
  EXPECT_EQ(refusal({"gpt-oss-20b", "A100-80"}), "");
  EXPECT_EQ(refusal({"phi-4-quantized.w8a8", "H100"}), "");
  EXPECT_EQ(refusal({"deepseek-v3.2", "H200", 8}), "");
}

TEST(EngineRules, where_vllm_serves_in_another_way_a_note_says_so) {
  EXPECT_EQ(refusal({"qwen3-8b", "H100", 1, 1, "nvfp4"}), "");
  EXPECT_THAT(notes({"qwen3-8b", "H100", 1, 1, "nvfp4"}).at(0),
              HasSubstr("cannot multiply in FP4"));
  EXPECT_THAT(notes({"qwen3-8b", "A100-80", 1, 1, "fp8"}).at(0),
              HasSubstr("cannot multiply in FP8"));
  EXPECT_THAT(notes({"qwen3-8b", "H100", 1, 1, "fp8"}), IsEmpty());
  EXPECT_THAT(notes({"qwen3-8b", "B200", 1, 1, "nvfp4"}), IsEmpty());
}

TEST(EngineRules, a_rule_that_is_ignored_becomes_a_note) {
  const Asked asked{"qwen3-30b-a3b-fp8", "H100", 4};
  EXPECT_EQ(refusal(asked, {"fp8-blocks"}), "");
  EXPECT_THAT(notes(asked, {"fp8-blocks"}).at(0), HasSubstr("vLLM refuses this"));
  EXPECT_THAT(refusal(asked, {"fp8-turing"}), HasSubstr("fp8-blocks"));
}

// vllm #41830, #42024: with a connector all layers are taken for full attention, or it does not
// start.
TEST(EngineRules, without_a_hybrid_cache_windows_keep_all_and_states_are_refused) {
  const GpuSpec gpu = *find_gpu("H100", SemanticsMode::vllm);
  const Parallelism layout;
  const auto refused = [&](const char* model, bool hybrid) {
    const ModelConfig config = find_model(model)->config;
    return !check_engine_rules({config, gpu, layout, {}, hybrid}, {}).has_value();
  };
  const auto noted = [&](const char* model, bool hybrid) {
    const ModelConfig config = find_model(model)->config;
    return !engine_rule_notes({config, gpu, layout, {}, hybrid}, {}).empty();
  };
  EXPECT_TRUE(refused("nemotron-h-56b-base-8k", false));
  EXPECT_FALSE(refused("nemotron-h-56b-base-8k", true));
  EXPECT_FALSE(refused("gpt-oss-120b", false));
  EXPECT_TRUE(noted("gpt-oss-120b", false));
  EXPECT_FALSE(noted("gpt-oss-120b", true));
  EXPECT_FALSE(noted("qwen3-14b", false));
}

TEST(EngineRules, a_step_has_a_token_for_each_request) {
  const ModelConfig model = find_model("qwen3-14b")->config;
  const GpuSpec gpu = *find_gpu("H100", SemanticsMode::vllm);
  const Parallelism layout;
  const auto starts = [&](const StartLimits& limits) {
    return check_engine_rules({model, gpu, layout, limits}, {}).has_value();
  };
  EXPECT_TRUE(starts({256, 256, 0}));
  EXPECT_FALSE(starts({256, 255, 0}));
  EXPECT_TRUE(starts({256, 0, 0}));  // not known
  EXPECT_TRUE(starts({256, 2048, model.max_model_len}));
  EXPECT_FALSE(starts({256, 2048, model.max_model_len + 1}));
}

TEST(EngineRules, other_makers_and_gpus_of_users_are_not_asked) {
  EXPECT_EQ(refusal({"gpt-oss-20b", "MI300X"}), "");
  EXPECT_EQ(refusal({"deepseek-v3.2", "MI300X", 8}), "");
  EXPECT_THAT(notes({"qwen3-8b", "MI300X", 1, 1, "nvfp4"}).at(0), HasSubstr("(Petit"));
}

TEST(EngineRules, each_has_a_source_and_a_remedy) {
  for (const EngineRule& rule : engine_rules()) {
    EXPECT_FALSE(rule.source.empty() || rule.remedy.empty() || rule.help.empty()) << rule.name;
  }
}

// What the catalog proposes starts.
TEST(EngineRules, no_model_of_the_catalog_is_refused_where_it_is_at_home) {
  for (const std::string& id : model_names()) {
    const auto model = find_model(id);
    EXPECT_EQ(refusal({id.c_str(), model->default_gpu.c_str(), model->default_tp}), "") << id;
  }
}

}  // namespace
}  // namespace plimsoll
