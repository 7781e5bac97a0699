#include "calibration/experiment.h"

#include <gtest/gtest.h>

#include "calibration/fit.h"
#include "catalog/catalog.h"
#include "catalog/hf_config.h"
#include "perf/calibration.h"
#include "shared_data.h"
#include "slow_sanitized.h"
#include "validation/case.h"

namespace plimsoll {
namespace {

Case closed_loop_case() {
  Case out;
  out.name = "loops";
  out.kind = CaseKind::closed_loop;
  out.deployment.model = "llama-3.1-8b-instruct";
  out.deployment.gpu = "H100";
  out.workload.input = {1000, 1000};
  out.workload.output = {100, 100};
  for (const std::int64_t concurrency : {1, 8, 16, 32}) {
    const std::string prefix = "points[" + std::to_string(out.points.size()) + "].";
    CasePoint point;
    point.concurrency = concurrency;
    out.points.push_back(point);
    out.measured[prefix + "tpot_ms"] = 10;
    out.measured[prefix + "ttft_ms.mean"] = 50;
  }
  return out;
}

Result<CaseExperiment> experiment(const Case& measured) {
  return experiment_of(measured, find_model("llama-3.1-8b-instruct")->config, Sampling::greedy,
                       "kernel");
}

std::string refusal(const Case& measured) {
  const auto made = experiment(measured);
  return made ? "no error" : format(made.error());
}

TEST(CaseExperiment, has_the_figures_of_each_point_that_counts) {
  Case measured = closed_loop_case();
  measured.points[1].excluded = true;
  const auto made = experiment(measured);
  ASSERT_TRUE(made) << format(made.error());
  EXPECT_EQ(made->gpu, "H100");
  const Experiment& e = made->experiment;
  ASSERT_EQ(e.observations.size(), 6u);
  EXPECT_EQ(e.observations.back().block, 2);
  const std::vector<double> predicted = e.predict(e.base);
  ASSERT_EQ(predicted.size(), 6u);
  EXPECT_LT(predicted[1], predicted[5]);  // the TPOT of one, and of 32 at a time
}

TEST(CaseExperiment, is_refused_where_latencies_say_nothing_of_steps) {
  Case overloaded = closed_loop_case();
  overloaded.measured["saturated"] = 1;
  EXPECT_NE(refusal(overloaded).find("was overloaded"), std::string::npos);
  Case apart = closed_loop_case();
  apart.kind = CaseKind::closed_loop_pd;
  EXPECT_NE(refusal(apart).find("separate prefill and decode workers"), std::string::npos);
  Case bare = closed_loop_case();
  bare.measured.clear();
  EXPECT_NE(refusal(bare).find("no measured TTFT or TPOT"), std::string::npos);
  Case no_points = bare;
  no_points.points.clear();
  EXPECT_NE(refusal(no_points).find("no measured TTFT or TPOT"), std::string::npos);
}

TEST(CaseExperiment, of_a_model_that_was_measured_slower_gets_a_larger_scale) {
  Case measured = closed_loop_case();
  measured.workload.requests_per_concurrency = 10;  // in step: no luck in who meets whom
  auto made = experiment(measured);
  ASSERT_TRUE(made);
  Experiment& e = made->experiment;
  Correction slower;
  slower.scale = 1.25;
  const auto times = e.predict(std::make_shared<CalibratedStepTime>(e.base, slower));
  for (std::size_t i = 0; i < times.size(); ++i) e.observations[i].measured_ms = times[i];
  const auto found = fit({e}, true);
  ASSERT_TRUE(found) << format(found.error());
  EXPECT_NEAR(found->correction.scale, 1.25, 0.02);
  EXPECT_GT(improvement(*found), 0.8);
}

/// Held-out errors of a measured case before and after.
class MeasuredCase : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredCase, is_predicted_better_where_it_was_not_fitted) {
  SLOW_SANITIZED();
  const auto shared = shared_data_folder();
  const auto folder = shared ? *shared / "data/cases" / GetParam() : std::filesystem::path();
  if (!shared || !std::filesystem::exists(folder)) GTEST_SKIP() << "no measured cases here";
  const auto measured = read_case(folder.string());
  ASSERT_TRUE(measured) << format(measured.error());
  std::string name = measured->deployment.model;
  name.replace(name.find('/'), 1, "--");
  const auto model = read_model_config(*shared / "data/model-configs" / name / "config.json", name);
  ASSERT_TRUE(model) << format(model.error());
  const auto listed = find_model(measured->deployment.model);
  const Sampling sampling = listed ? listed->sampling : Sampling::greedy;
  const auto made = experiment_of(*measured, *model, sampling, "kernel");
  ASSERT_TRUE(made) << format(made.error());
  const auto found = fit({made->experiment}, true);
  ASSERT_TRUE(found) << format(found.error());
  for (const CalibrationErrors& e : found->errors) {
    EXPECT_GT(e.held_out, 50) << e.metric;
    // First tokens may lose a little where the base is too slow: no client takes time off.
    EXPECT_LT(e.held_out_after, e.held_out_before + 0.3) << e.metric;
  }
  EXPECT_GT(improvement(*found), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Shared, MeasuredCase,
                         testing::Values("blis-req-codellama-34b-tp2-h100-roleplay",
                                         "blis-req-llama-2-7b-tp1-h100-general",
                                         "lss-rtxpro6000-llama-3-1-8b-sharegpt300"));

}  // namespace
}  // namespace plimsoll
