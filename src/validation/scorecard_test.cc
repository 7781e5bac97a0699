#include "validation/validate.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

CaseResult result(const std::string& source, std::vector<double> predicted) {
  CaseResult out;
  out.source = source;
  out.engine = "vllm";
  for (const double p : predicted) {
    out.metrics["tpot_ms.mean"].comparisons.push_back({"tpot_ms.mean", p, 100, 95, 115});
  }
  return out;
}

const ScoreRow* find(const std::vector<ScoreRow>& rows, const std::string& group,
                     const std::string& metric = "tpot_ms.mean") {
  for (const ScoreRow& row : rows) {
    if (row.group == group && row.metric == metric) return &row;
  }
  return nullptr;
}

TEST(Scorecard, takes_the_median_over_cases_and_the_average_over_sources) {
  const auto rows =
      scorecard({result("a", {102}), result("a", {104}), result("a", {94}), result("b", {120})});
  EXPECT_NEAR(find(rows, "source:a")->median_ape, 4, 1e-12);
  EXPECT_NEAR(find(rows, "source:a")->mean_ape, 4, 1e-12);
  EXPECT_NEAR(find(rows, "source:a")->bias, 2, 1e-12);
  EXPECT_NEAR(find(rows, "all")->median_ape, 12, 1e-12);  // of 4 and 20
  EXPECT_EQ(find(rows, "all")->n, 4u);
}

TEST(Scorecard, takes_the_median_of_a_cases_points) {
  const auto rows = scorecard({result("a", {101, 110, 97})});
  EXPECT_NEAR(find(rows, "source:a")->median_ape, 3, 1e-12);
  EXPECT_EQ(find(rows, "source:a")->n, 1u);
}

TEST(Scorecard, keeps_low_confidence_and_other_engines_apart) {
  CaseResult low = result("a", {150});
  low.low_confidence = true;
  CaseResult other = result("a", {170});
  other.engine = "sglang";
  const auto rows = scorecard({result("a", {101}), low, other});
  EXPECT_NEAR(find(rows, "all")->median_ape, 1, 1e-12);
  EXPECT_NEAR(find(rows, "engine:sglang")->median_ape, 70, 1e-12);
  EXPECT_NEAR(find(rows, "confidence:low")->median_ape, 50, 1e-12);
}

TEST(Scorecard, counts_right_verdicts_and_intervals_that_hold) {
  CaseResult right = result("a", {100});
  right.verdicts = {{true, true}, {false, true}};
  right.metrics["tpot_ms.mean"].comparisons.push_back({"", 90, 100, 80, 99});
  const auto rows = scorecard({right});
  EXPECT_EQ(find(rows, "all", "saturated")->n, 2u);
  EXPECT_EQ(find(rows, "all", "saturated")->coverage90, 0.5);
  EXPECT_EQ(find(rows, "all")->coverage90, 0.5);
}

}  // namespace
}  // namespace plimsoll
