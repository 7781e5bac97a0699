// Are the settings that publishers state beside their results used where a case does not state its
// own?
#include "validation/published_settings.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "validation/case_simulation.h"

namespace plimsoll {
namespace {

Case loop_on(const char* gpu, const char* dtype, std::int64_t tp) {
  Case out;
  out.kind = CaseKind::closed_loop;
  out.source = "inferencex-silicon";
  out.deployment.model = "deepseek-ai/DeepSeek-R1";
  out.deployment.engine = "sglang";
  out.deployment.gpu = gpu;
  out.deployment.weight_dtype = dtype;
  out.deployment.layout.tp = tp;
  out.workload.requests_per_concurrency = 10;
  return out;
}

PublishedSettings settings_of(const Case& measured, std::int64_t concurrency) {
  return published_settings(measured, *engine_of(measured.deployment.engine),
                            find_model(measured.deployment.model)->config,
                            *find_gpu(measured.deployment.gpu, SemanticsMode::vllm), concurrency)
      .value();
}

TEST(PublishedSettings, are_those_of_the_script_for_the_gpu_and_the_weights) {
  const Case fp4 = loop_on("B200", "nvfp4", 4);
  EXPECT_EQ(settings_of(fp4, 15).scheduler_recv_interval, 10);
  EXPECT_EQ(settings_of(fp4, 16).scheduler_recv_interval, 30);
  EXPECT_EQ(settings_of(fp4, 16).max_num_batched_tokens, 16'384);
  const Case fp8 = loop_on("B200", "fp8", 8);
  EXPECT_EQ(settings_of(fp8, 64).scheduler_recv_interval, 30);
  EXPECT_EQ(settings_of(fp8, 64).max_num_batched_tokens, 32'768);
  const Case small = loop_on("B200", "fp8", 4);
  EXPECT_EQ(settings_of(small, 32).scheduler_recv_interval, 10);
  EXPECT_EQ(settings_of(small, 32).max_num_batched_tokens, 8192);
  const Case hopper = loop_on("H200", "fp8", 8);
  EXPECT_EQ(settings_of(hopper, 64).scheduler_recv_interval, 1);
  EXPECT_EQ(settings_of(hopper, 64).max_num_batched_tokens, 32'768);
}

TEST(PublishedSettings, are_the_defaults_of_the_engine_elsewhere) {
  Case other = loop_on("B200", "fp8", 8);
  other.source = "somebody";
  EXPECT_EQ(settings_of(other, 64).scheduler_recv_interval, 1);
  EXPECT_EQ(settings_of(other, 64).max_num_batched_tokens, 16'384);
  other.deployment.gpu = "H200";
  EXPECT_EQ(settings_of(other, 64).max_num_batched_tokens, 8192);
  // The same table has runs whose harness is not published.
  Case gap = loop_on("B200", "fp8", 8);
  gap.workload.requests_per_concurrency.reset();
  EXPECT_EQ(settings_of(gap, 64).scheduler_recv_interval, 1);
}

// One prompt fits into a step beside the decodes; newer scripts have room for several.
TEST(PublishedSettings, of_tensorrt_llm_grow_with_the_requests_at_a_time) {
  Case measured = loop_on("H200", "fp8", 8);
  measured.deployment.engine = "trtllm";
  measured.workload.input = {819, 1024};
  EXPECT_EQ(settings_of(measured, 4).max_num_batched_tokens, 1152);
  EXPECT_EQ(settings_of(measured, 64).max_num_batched_tokens, 1152);
  EXPECT_EQ(settings_of(measured, 65).max_num_batched_tokens, 1216);
  EXPECT_TRUE(settings_of(measured, 4).whole_prompts);
  EXPECT_TRUE(settings_of(measured, 4).narrow_kv);
  EXPECT_EQ(settings_of(measured, 4).prompt_wait_steps, 0);
  measured.deployment.engine_version = "1.2.0rc6.post2";
  EXPECT_EQ(settings_of(measured, 64).max_num_batched_tokens, 8192);
  measured.deployment.layout.dp = 8;
  EXPECT_EQ(settings_of(measured, 64).prompt_wait_steps, 60);
  measured.deployment.model = "openai/gpt-oss-120b";
  EXPECT_EQ(settings_of(measured, 64).max_num_batched_tokens, 20'000);
  measured.workload.requests_per_concurrency.reset();
  EXPECT_FALSE(settings_of(measured, 64).max_num_batched_tokens.has_value());
}

// Streams that begin together stay so, and their prompts share steps as far as there is room.
TEST(PublishedSettings, of_a_gap_analysis_are_those_that_its_tool_writes) {
  Case measured = loop_on("H100", "bf16", 1);
  measured.deployment.engine = "trtllm";
  measured.deployment.engine_version = "1.0.0rc3";
  measured.deployment.model = "meta-llama/Llama-3.1-8B-Instruct";
  measured.workload.input = {1024, 1024};
  EXPECT_TRUE(settings_of(measured, 8).overlap);
  measured.workload.requests_per_concurrency.reset();
  const PublishedSettings dense = settings_of(measured, 8);
  EXPECT_EQ(dense.max_num_batched_tokens, 8 + 1024 + 1500);
  EXPECT_TRUE(dense.whole_prompts);
  EXPECT_FALSE(dense.overlap);
  EXPECT_TRUE(dense.streams_begin_together);
  EXPECT_EQ(dense.idle_places, 1);
  EXPECT_EQ(settings_of(measured, 1).idle_places, 0);
  measured.deployment.model = "Qwen/Qwen3-235B-A22B-FP8";
  EXPECT_EQ(settings_of(measured, 8).idle_places, 0);
  measured.deployment.engine_version = "1.3.0rc1";
  EXPECT_FALSE(settings_of(measured, 8).streams_begin_together);
}

TEST(PublishedSettings, of_a_gap_analysis_limit_the_prompts_of_a_step_of_sglang_too) {
  Case measured = loop_on("H200", "fp8-block", 4);
  measured.deployment.model = "Qwen/Qwen3-235B-A22B-FP8";
  measured.workload.input = {2000, 2000};
  measured.workload.requests_per_concurrency.reset();
  const PublishedSettings tool = settings_of(measured, 9);
  EXPECT_EQ(tool.max_num_batched_tokens, 2000 + 1500);
  EXPECT_TRUE(tool.whole_prompts);
  EXPECT_TRUE(tool.overlap);
  EXPECT_TRUE(tool.streams_begin_together);
}

// On Hopper in all versions at hand, on Blackwell before 1.2.
TEST(PublishedSettings, add_to_steps_of_deepseek_what_kernels_of_tensorrt_llm_took_then) {
  Case measured = loop_on("B200", "fp8", 8);
  measured.deployment.engine = "trtllm";
  const auto added = [&](const char* version) {
    measured.deployment.engine_version = version;
    return settings_of(measured, 8).added_ms_per_step;
  };
  EXPECT_GT(added(""), 0);
  EXPECT_GT(added("1.1.0rc2.post2"), 0);
  EXPECT_EQ(added("1.2.0rc6.post2"), 0);
  measured.deployment.gpu = "H200";
  EXPECT_GT(added("1.2.0rc6.post2"), 0);
  const CaseWorkers workers{1, measured.deployment.layout};
  measured.deployment.split = CaseSplit{workers, workers};
  EXPECT_GT(added("0.8.1.post1"), 0);
  measured.deployment.gpu = "GB200";
  EXPECT_EQ(added("0.8.1.post1"), 0);
  measured.deployment.split.reset();
  measured.deployment.gpu = "B200";
  measured.deployment.model = "openai/gpt-oss-120b";  // had 1.2.0rc0 where none is stated
  EXPECT_EQ(added(""), 0);
}

TEST(PublishedSettings, know_a_gap_analysis_whose_servers_had_no_cuda_graphs) {
  Case measured = loop_on("H100", "fp8", 4);
  measured.deployment.engine = "trtllm";
  measured.deployment.model = "openai/gpt-oss-120b";
  measured.deployment.engine_version = "1.3.0rc1";
  EXPECT_TRUE(settings_of(measured, 8).cuda_graphs);
  measured.workload.requests_per_concurrency.reset();
  EXPECT_FALSE(settings_of(measured, 8).cuda_graphs);
  measured.deployment.engine_version = "1.0.0rc3";
  EXPECT_TRUE(settings_of(measured, 8).cuda_graphs);
}

// One script has the model's own draft and another not; which one a result is of, version and date
// say.
TEST(PublishedSettings, have_a_draft_where_the_version_and_the_date_say_so) {
  Case measured = loop_on("B200", "fp8", 8);
  measured.deployment.engine = "trtllm";
  measured.deployment.engine_version = "1.1.0rc2.post2";
  measured.points.resize(2);
  measured.points[0].concurrency = 4;
  measured.points[0].measured_on = "2026-01-14";
  measured.points[1].concurrency = 64;
  measured.points[1].measured_on = "2025-12-15";
  EXPECT_EQ(settings_of(measured, 4).draft_tokens, 3);
  EXPECT_EQ(settings_of(measured, 64).draft_tokens, 0);
  measured.deployment.engine_version = "1.2.0rc6.post3";
  EXPECT_EQ(settings_of(measured, 64).draft_tokens, 3);
  measured.deployment.layout.dp = 8;
  EXPECT_EQ(settings_of(measured, 64).draft_tokens, 1);
  measured.deployment.engine_version = "1.2.0rc6.post2";
  EXPECT_EQ(settings_of(measured, 64).draft_tokens, 0);
}

// Requests are seen after half of 10 steps, less what they would wait for the next one.
TEST(PublishedSettings, of_splits_on_gb200_let_requests_wait_for_their_decoding_worker) {
  Case measured = loop_on("GB200", "nvfp4", 4);
  measured.kind = CaseKind::closed_loop_pd;
  const CaseWorkers workers{1, measured.deployment.layout};
  measured.deployment.split = CaseSplit{workers, workers};
  const ModelConfig model = find_model("deepseek-ai/DeepSeek-R1")->config;
  const auto client_steps = [&] {
    return deploy(measured, model, Sampling::greedy, "kernel", nullptr, 4)->client_steps;
  };
  const double waiting = client_steps();
  measured.deployment.gpu = "B200";
  EXPECT_DOUBLE_EQ(waiting - client_steps(), 4.5);
  measured.deployment.gpu = "GB200";
  measured.deployment.split->decode.layout.dp = 4;
  EXPECT_EQ(settings_of(measured, 4).scheduler_recv_interval, 1);
}

TEST(PublishedSettings, give_way_to_what_the_case_states) {
  Case measured = loop_on("B200", "nvfp4", 8);
  const ModelConfig model = find_model("deepseek-ai/DeepSeek-R1")->config;
  const auto deployed = [&] {
    const auto setup = deploy(measured, model, Sampling::greedy, "kernel", nullptr, 64);
    EXPECT_TRUE(setup.has_value());
    return setup->deployment.main().engine;
  };
  const EngineConfig published = deployed();
  EXPECT_EQ(published.batching_rule, "sglang");
  EXPECT_EQ(*published.parameters.at("scheduler-recv-interval"), 30);
  EXPECT_EQ(published.max_num_batched_tokens, 16'384);
  measured.deployment.scheduler_recv_interval = 4;
  measured.deployment.max_num_batched_tokens = 2048;
  const EngineConfig stated = deployed();
  EXPECT_EQ(*stated.parameters.at("scheduler-recv-interval"), 4);
  EXPECT_EQ(stated.max_num_batched_tokens, 2048);
}

}  // namespace
}  // namespace plimsoll
