#include "validation/validate.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "shared_data.h"
#include "slow_sanitized.h"
#include "validation/case.h"

namespace plimsoll {
namespace {

ValidationOptions kernel() {
  ValidationOptions options;
  options.latency_model = "kernel";
  return options;
}

CasePoint point(std::int64_t concurrency) {
  CasePoint out;
  out.concurrency = concurrency;
  return out;
}

Case closed_loop_case() {
  Case out;
  out.kind = CaseKind::closed_loop;
  out.deployment.model = "llama-3.1-8b-instruct";
  out.deployment.gpu = "H100";
  out.deployment.max_num_batched_tokens = 8192;
  out.workload.input = {1000, 1000};
  out.workload.output = {100, 100};
  out.points = {point(1), point(32)};
  out.scored = {"points[].tpot_ms", "points[].ttft_ms"};
  for (int i = 0; i < 2; ++i) {
    const std::string prefix = "points[" + std::to_string(i) + "].";
    out.measured[prefix + "tpot_ms"] = 7;
    out.measured[prefix + "ttft_ms"] = 50;
  }
  return out;
}

TEST(Validate, compares_each_point_of_a_closed_loop) {
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto result = validate_case(closed_loop_case(), model->config, kernel());
  ASSERT_TRUE(result.has_value()) << format(result.error());
  const auto& tpot = result->metrics.at("tpot_ms").comparisons;
  ASSERT_EQ(tpot.size(), 2u);
  EXPECT_LT(tpot[0].predicted, tpot[1].predicted);  // more at a time takes longer
  for (const ScoredFigure& c : tpot) {
    EXPECT_LT(c.low, c.predicted);
    EXPECT_GT(c.high, c.predicted);
  }
}

// Alike, and in step, they would send their prompts in waves.
TEST(Validate, opens_loops_out_of_step_where_their_length_is_unpublished) {
  Case measured = closed_loop_case();
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto steady = validate_case(measured, model->config, kernel());
  measured.workload.requests_per_concurrency = 10;
  const auto in_step = validate_case(measured, model->config, kernel());
  const auto predicted = [](const Result<CaseResult>& result, const char* name, std::size_t i) {
    return result->metrics.at(name).comparisons[i].predicted;
  };
  EXPECT_LT(predicted(steady, "ttft_ms", 1), 0.7 * predicted(in_step, "ttft_ms", 1));
  EXPECT_GT(predicted(steady, "tpot_ms", 1), predicted(in_step, "tpot_ms", 1));
  EXPECT_NEAR(predicted(steady, "ttft_ms", 0) / predicted(in_step, "ttft_ms", 0), 1, 0.01);
}

// SGLang starts no decode before all prompts that wait, so that what begins together ends so.
TEST(Validate, keeps_loops_in_step_where_prompts_go_first) {
  Case measured = closed_loop_case();
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto ttft = [&](const char* engine) {
    measured.deployment.engine = engine;
    const auto result = validate_case(measured, model->config, kernel());
    return result->metrics.at("ttft_ms").comparisons.at(1).predicted;
  };
  EXPECT_GT(ttft("sglang"), 3 * ttft("vllm"));
}

// Nothing is predicted of what does not fit, rather than no time per token.
TEST(Validate, predicts_no_zeros_where_no_request_fits) {
  Case measured = closed_loop_case();
  measured.deployment.kv_blocks = 10;
  const auto result =
      validate_case(measured, find_model("llama-3.1-8b-instruct")->config, kernel());
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->metrics.empty());
  EXPECT_EQ(result->not_compared.size(), 4U);
}

TEST(Validate, says_which_parts_of_the_steps_a_figure_rests_on) {
  Case measured = closed_loop_case();
  measured.workload.requests_per_concurrency = 10;
  ValidationOptions options = kernel();
  options.model_error = false;
  options.why = true;
  const auto result = validate_case(measured, find_model("llama-3.1-8b-instruct")->config, options);
  ASSERT_TRUE(result.has_value());
  double sum = 0;
  for (const PartEffect& effect : result->effects) sum += effect.of_metric.at("tpot_ms");
  EXPECT_NEAR(sum, 1, 0.1);
  EXPECT_GT(result->effects[0].of_metric.at("tpot_ms"), 0.5);        // matrices
  EXPECT_NEAR(result->effects[2].of_metric.at("tpot_ms"), 0, 1e-9);  // it has no experts
  options.latency_model = "roofline";
  const auto other = validate_case(measured, find_model("llama-3.1-8b-instruct")->config, options);
  EXPECT_NE(format(other.error()).find("--latency-model kernel"), std::string::npos);
}

TEST(Validate, leaves_out_points_that_do_not_count) {
  Case measured = closed_loop_case();
  measured.points[1].excluded = true;
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto result = validate_case(measured, model->config, kernel());
  EXPECT_EQ(result->metrics.at("tpot_ms").comparisons.size(), 1u);
}

TEST(Validate, says_what_it_could_not_compare) {
  Case measured = closed_loop_case();
  measured.measured["points[0].tpot_ms"] = std::nan("");
  measured.measured["points[1].nonsense"] = 3;
  measured.scored = {"points[].tpot_ms", "points[1].nonsense", "ttft_ms.maen"};
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto result = validate_case(measured, model->config, kernel());
  ASSERT_EQ(result->not_compared.size(), 3u);
  EXPECT_EQ(result->not_compared[0].path, "points[0].tpot_ms");
  EXPECT_EQ(result->not_compared[0].reason, "the measured value is not above 0");
  EXPECT_EQ(result->not_compared[1].reason, "nothing is predicted of it");
  EXPECT_EQ(result->not_compared[2].reason, "no number of that name is measured");
  EXPECT_EQ(result->metrics.at("tpot_ms").comparisons.size(), 1u);
}

TEST(Validate, says_why_a_case_cannot_be_simulated) {
  Case measured = closed_loop_case();
  const auto model = find_model("llama-3.1-8b-instruct");
  measured.deployment.gpu = "H9000";
  EXPECT_FALSE(validate_case(measured, model->config, kernel()).has_value());
}

Case split_case(std::int64_t prefill, std::int64_t decode) {
  Case out = closed_loop_case();
  out.kind = CaseKind::closed_loop_pd;
  out.deployment.split = CaseSplit{{prefill, {}}, {decode, {}}};
  return out;
}

// Prompts hold up nobody, and with more workers for them they wait for less.
TEST(Validate, simulates_workers_for_prefill_and_for_decode) {
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto predicted = [&](const Case& measured, const char* metric) {
    const auto result = validate_case(measured, model->config, kernel());
    return result ? result->metrics.at(metric).comparisons.at(1).predicted : 0;
  };
  EXPECT_LT(predicted(split_case(1, 1), "tpot_ms"), predicted(closed_loop_case(), "tpot_ms"));
  EXPECT_LT(predicted(split_case(3, 1), "ttft_ms"), predicted(split_case(1, 1), "ttft_ms"));
  EXPECT_LT(predicted(split_case(1, 3), "tpot_ms"), predicted(split_case(1, 1), "tpot_ms"));
}

TEST(Validate, takes_prompts_of_an_earlier_run_from_the_cache) {
  Case measured = split_case(1, 1);
  const auto model = find_model("llama-3.1-8b-instruct");
  const auto cold = validate_case(measured, model->config, kernel());
  measured.points[1].cached = CasePoint::Cached::warm;
  const auto warm = validate_case(measured, model->config, kernel());
  ASSERT_TRUE(cold && warm);
  EXPECT_LT(warm->metrics.at("ttft_ms").comparisons.at(1).predicted,
            cold->metrics.at("ttft_ms").comparisons.at(1).predicted);
  measured.points[1].cached = CasePoint::Cached::unknown;
  const auto unknown = validate_case(measured, model->config, kernel());
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->metrics.at("ttft_ms").comparisons.size(), 1U);
  ASSERT_EQ(unknown->not_compared.size(), 1U);
  EXPECT_EQ(unknown->not_compared.front().path, "points[1].ttft_ms");
}

std::vector<std::string> assumed_in(const Case& measured, const char* model) {
  const auto result = validate_case(measured, find_model(model)->config, kernel());
  std::vector<std::string> keys;
  if (!result) keys.push_back(format(result.error()));
  if (result) {
    for (const CaseAssumption& one : result->assumptions) keys.push_back(one.key);
  }
  return keys;
}

double first_tpot(const Case& measured, const char* model = "llama-3.1-8b-instruct") {
  const auto result = validate_case(measured, find_model(model)->config, kernel());
  return result ? result->metrics.at("tpot_ms").comparisons.at(1).predicted : 0;
}

TEST(Validate, says_what_it_simulates_in_place_of_what_was_measured) {
  Case measured = closed_loop_case();
  EXPECT_TRUE(assumed_in(measured, "llama-3.1-8b-instruct").empty());
  measured.deployment.cpu_kv_offload = true;
  measured.deployment.layout.ep = 2;
  const std::vector<std::string> both{"deployment.cpu_kv_offload", "deployment.expert_parallel"};
  EXPECT_EQ(assumed_in(measured, "llama-3.1-8b-instruct"), both);
  measured = closed_loop_case();
  measured.deployment.layout.tp = 8;
  EXPECT_TRUE(assumed_in(measured, "llama-3.1-8b-instruct").empty());
  measured.deployment.layout.tp = 16;  // of nodes of 8
  EXPECT_EQ(assumed_in(measured, "llama-3.1-8b-instruct"),
            std::vector<std::string>{"deployment.gpu"});
}

TEST(Validate, says_what_leaves_intervals_wide) {
  Case measured = closed_loop_case();
  measured.deployment.max_num_batched_tokens.reset();
  EXPECT_EQ(assumed_in(measured, "llama-3.1-8b-instruct"),
            std::vector<std::string>{"deployment.max_num_batched_tokens"});
}

// By facts, whoever published the case.
TEST(Validate, narrow_weights_on_blackwell_come_with_a_narrow_cache) {
  Case measured = closed_loop_case();
  measured.deployment.gpu = "B200";
  EXPECT_TRUE(assumed_in(measured, "llama-3.1-8b-instruct").empty());
  measured.deployment.weight_dtype = "fp8";
  EXPECT_EQ(assumed_in(measured, "llama-3.1-8b-instruct"),
            std::vector<std::string>{"deployment.kv_dtype"});
  const double assumed = first_tpot(measured);
  measured.deployment.kv_dtype = "fp8";
  EXPECT_TRUE(assumed_in(measured, "llama-3.1-8b-instruct").empty());
  EXPECT_EQ(first_tpot(measured), assumed);
  measured.deployment.kv_dtype = "bf16";
  EXPECT_GT(first_tpot(measured), assumed);
  measured.deployment.gpu = "H100";
  measured.deployment.kv_dtype = "";
  EXPECT_TRUE(assumed_in(measured, "llama-3.1-8b-instruct").empty());
}

TEST(Validate, lays_experts_out_as_the_case_says) {
  const char* model = "qwen3-30b-a3b-instruct-2507";
  Case measured = closed_loop_case();
  measured.deployment.model = model;
  measured.deployment.layout.tp = 4;
  const double sliced = first_tpot(measured, model);
  measured.deployment.layout.moe_tp = 1;
  const double whole = first_tpot(measured, model);
  EXPECT_NE(whole, sliced);
  measured.deployment.layout.ep = 4;
  EXPECT_EQ(first_tpot(measured, model), whole);
  measured.deployment.layout.moe_tp = 4;
  const std::string error = assumed_in(measured, model).at(0);
  EXPECT_NE(error.find("expert_parallel 4 x moe_tensor_parallel 4"), std::string::npos) << error;
}

TEST(Validate, takes_prompts_whole_where_chunks_are_off) {
  Case measured = closed_loop_case();
  measured.deployment.max_num_batched_tokens = 1500;  // one prompt and a half
  measured.scored = {"points[].ttft_ms"};
  const auto ttft = [&] {
    return validate_case(measured, find_model("llama-3.1-8b-instruct")->config, kernel())
        ->metrics.at("ttft_ms")
        .comparisons.at(1)
        .predicted;
  };
  const double chunked = ttft();
  measured.deployment.chunked_prefill = false;
  EXPECT_LT(ttft(), chunked);  // nobody's first token waits for half of another's prompt
}

// Open-loop runs of vLLM: what the kernel model was built for. This keeps what was
// reached.
TEST(Validate, is_the_kernel_model_right_on_measured_runs) {
  SLOW_SANITIZED();
  const auto shared = shared_data_folder();
  if (!shared || !std::filesystem::exists(*shared / "data/cases")) {
    GTEST_SKIP() << "no measured cases here";
  }
  std::vector<CaseResult> results;
  const auto folders = find_cases((*shared / "data/cases").string());
  ASSERT_TRUE(folders.has_value());
  for (const std::string& folder : *folders) {
    const auto measured = read_case(folder);
    ASSERT_TRUE(measured.has_value()) << format(measured.error());
    const bool open_loop = measured->kind == CaseKind::trace || measured->kind == CaseKind::stages;
    if (!open_loop || measured->scored.empty()) continue;
    const auto model = find_model(measured->deployment.model);
    if (!model) continue;  // its configuration lies elsewhere
    ValidationOptions options = kernel();
    options.sampling = model->sampling;
    const auto result = validate_case(*measured, model->config, options);
    ASSERT_TRUE(result.has_value()) << folder << ": " << format(result.error());
    results.push_back(*result);
  }
  for (const ScoreRow& row : scorecard(results)) {
    if (!row.group.starts_with("source:blis")) continue;
    if (row.metric == "tpot_ms.mean" || row.metric == "e2e_ms.mean") {
      EXPECT_LT(row.median_ape, 3.5) << row.group << " " << row.metric;
    }
    if (row.metric == "ttft_ms.mean") {
      EXPECT_LT(row.median_ape, 5) << row.group;
    }
  }
}

}  // namespace
}  // namespace plimsoll
