#include "report/plan/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string report_of(const std::string& rate, const std::string& best) {
  return R"({"model": "m", "timestamp": ")" + rate + R"(", "inputs": {"rate_rps": )" + rate +
         R"(}, "best_configuration": )" + best +
         R"(, "pareto_frontier": [], "all_candidates": [], "summary": {"recommendation": ")" +
         (best == "null" ? "none" : "some") + "\"}}";
}

std::string best_of(const std::string& gpus, const std::string& p99, const std::string& margin) {
  return R"({"gpu_type": "H100", "config_id": )" + gpus + R"(, "total_gpus": )" + gpus +
         R"(, "performance": {"p99_ttft_ms": )" + p99 +
         R"(, "mean_mfu": 0.4}, "cost": {"cost_per_hour": 2.5}, "bottleneck": "queue",)" +
         R"("slo_compliance": {"slos": [{"metric": "ttft_p99_ms", "margin": )" + margin + "}]}}";
}

TEST(PlanDiff, names_what_differs_and_nothing_else) {
  const std::string before = report_of("40.0", best_of("2", "180.0", "0.5"));
  const std::string after = report_of("60.0", best_of("3", "90.0", "0.75"));
  EXPECT_EQ(plan_diff_text(before, "old.json", after, {}),
            "Since old.json:\n"
            "  inputs     rate: 40.0 -> 60.0 (+50.0 %)\n"
            "  pick       GPUs: 2 -> 3 (+50.0 %)\n"
            "  figures    TTFT p99 ms: 180 -> 90.0 (-50.0 %)\n"
            "  margins    TTFT p99: 50.0 % -> 75.0 %\n");
  EXPECT_EQ(plan_diff_text(before, "old.json", before, {}),
            "Nothing has changed since old.json.\n");
  const std::string json = plan_diff_json(before, "old.json", after);
  EXPECT_THAT(json, HasSubstr(R"("against": "old.json")"));
  EXPECT_THAT(json, HasSubstr(R"("old": 180.0)"));
  EXPECT_THAT(json, Not(HasSubstr(R"("old": 0.4)")));
  EXPECT_TRUE(check_plan_json(json, "again.json"));
}

// A report with these inputs, and an effect.
std::string asked(const std::string& inputs, const std::string& assumed, const std::string& gpus) {
  return R"({"model": "m", "inputs": )" + inputs + R"(, "assumed": )" + assumed +
         R"(, "best_configuration": )" + best_of(gpus, "180.0", "0.5") +
         R"(, "pareto_frontier": [], "all_candidates": [], "summary": {}})";
}

TEST(PlanDiff, names_the_input_that_changed_beside_the_effect) {
  const std::string before = asked(
      R"({"rate_rps": 40.0, "tensor_parallel": [1, 2], "traffic": {"output-tokens": 200},)"
      R"( "files": {"w.yaml": "aa"}, "prices": [{"gpu_type": "H100", "commitment": "on-demand",)"
      R"( "usd_per_gpu_hour": 2.5}]})",
      R"(["arrival poisson", "prompt-tokens 512"])", "2");
  const std::string after =
      asked(R"({"rate_rps": 40.1, "tensor_parallel": [1], "traffic": {"output-tokens": 300},)"
            R"( "files": {"w.yaml": "bb"}, "seed": 7, "prices": [{"gpu_type": "H100",)"
            R"( "commitment": "on-demand", "usd_per_gpu_hour": 3.0}, {"gpu_type": "L4",)"
            R"( "commitment": "on-demand", "usd_per_gpu_hour": 0.5}]})",
            R"(["arrival poisson"])", "3");
  EXPECT_EQ(plan_diff_text(before, "old.json", after, {}),
            "Since old.json:\n"
            "  inputs     rate: 40.0 -> 40.1 (+0.250 %)\n"
            "             tensor_parallel: 1, 2 -> 1\n"
            "             traffic.output-tokens: 200 -> 300 (+50.0 %)\n"
            "             files.w.yaml: aa -> bb\n"
            "             price of H100 on-demand: 2.50 -> 3.00 (+20.0 %)\n"
            "             assumed: prompt-tokens 512 -> -\n"
            "  pick       GPUs: 2 -> 3 (+50.0 %)\n");
}

TEST(PlanDiff, counts_what_is_too_little_to_be_read) {
  const std::string before = report_of("40.0", best_of("2", "180.0", "0.5"));
  const std::string after = report_of("40.0", best_of("2", "180.1", "0.5"));
  EXPECT_EQ(plan_diff_text(before, "old.json", after, {}),
            "Since old.json:\n  1 figure changed by less than 0.5 %\n");
}

TEST(PlanDiff, says_that_nothing_keeps_the_limits_any_more) {
  const std::string before = report_of("40.0", best_of("2", "180.0", "0.5"));
  EXPECT_THAT(plan_diff_text(before, "old.json", report_of("40.0", "null"), {}),
              HasSubstr("recommendation: some -> none"));
}

std::string fleet_of(const std::string& gpus, const std::string& models) {
  return R"({"models": [)" + models + R"(], "total_gpus": )" + gpus +
         R"(, "cost_per_hour": 10.0, "max_gpus": 8, "max_cost_per_hour": null})";
}

std::string model_of(const std::string& name, const std::string& tokens,
                     const std::string& configuration) {
  return R"({"name": ")" + name + R"(", "model": "m", "inputs": {"max_gpus": )" + tokens +
         R"(, "traffic": {"output-tokens": )" + tokens +
         R"(}}, "assumed": [], "shortage": null, "configuration": )" + configuration + "}";
}

TEST(PlanDiff, says_of_several_models_which_of_them_changed) {
  const std::string same = model_of("a", "9", best_of("1", "180.0", "0.5"));
  const std::string before =
      fleet_of("3", same + "," + model_of("b", "200", best_of("2", "180.0", "0.5")));
  const std::string after =
      fleet_of("4", same + "," + model_of("b", "300", best_of("3", "180.0", "0.5")) + "," +
                        model_of("c", "1", "null"));
  EXPECT_EQ(plan_diff_text(before, "old.json", after, {}),
            "Since old.json:\n"
            "  fleet      GPUs: 3 -> 4 (+33.3 %)\n"
            "b:\n"
            "  inputs     traffic.output-tokens: 200 -> 300 (+50.0 %)\n"
            "  pick       GPUs: 2 -> 3 (+50.0 %)\n"
            "c:\n"
            "  inputs     models: - -> new\n");
  EXPECT_THAT(plan_diff_json(before, "old.json", after), HasSubstr(R"("model": "b")"));
  EXPECT_TRUE(check_plan_json(before, "old.json", true));
  EXPECT_FALSE(check_plan_json(before, "old.json", false));
  EXPECT_FALSE(check_plan_json(report_of("40.0", "null"), "old.json", true));
}

TEST(PlanDiff, refuses_what_is_no_report) {
  for (const char* text : {"", "[]", "7", "{", "{\"best_configuration\": null}",
                           R"({"best_configuration": 3, "pareto_frontier": [],)"
                           R"( "all_candidates": [], "summary": {}})"}) {
    const auto checked = check_plan_json(text, "x.json");
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().diagnostics.front().file, "x.json");
  }
}

}  // namespace
}  // namespace plimsoll
