#include "report/plan_diff.h"

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
  EXPECT_EQ(plan_diff_text(before, "old.json", after),
            "Since old.json:\n"
            "  inputs     rate_rps: 40.0 -> 60.0 (+50.0 %)\n"
            "  pick       total_gpus: 2 -> 3 (+50.0 %)\n"
            "  figures    p99_ttft_ms: 180 -> 90.0 (-50.0 %)\n"
            "  margins    ttft_p99_ms: 50.0 % -> 75.0 %\n");
  EXPECT_EQ(plan_diff_text(before, "old.json", before), "Nothing has changed since old.json.\n");
  const std::string json = plan_diff_json(before, "old.json", after);
  EXPECT_THAT(json, HasSubstr(R"("against": "old.json")"));
  EXPECT_THAT(json, HasSubstr(R"("old": 180.0)"));
  EXPECT_THAT(json, Not(HasSubstr(R"("old": 0.4)")));
  EXPECT_TRUE(check_plan_json(json, "again.json"));
}

TEST(PlanDiff, counts_what_is_too_little_to_be_read) {
  const std::string before = report_of("40.0", best_of("2", "180.0", "0.5"));
  const std::string after = report_of("40.0", best_of("2", "180.1", "0.5"));
  EXPECT_EQ(plan_diff_text(before, "old.json", after),
            "Since old.json:\n  1 figure by less than 0.5 %\n");
}

TEST(PlanDiff, says_that_nothing_keeps_the_limits_any_more) {
  const std::string before = report_of("40.0", best_of("2", "180.0", "0.5"));
  EXPECT_THAT(plan_diff_text(before, "old.json", report_of("40.0", "null")),
              HasSubstr("recommendation: some -> none"));
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
