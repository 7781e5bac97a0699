// Does the comparison of a case come back from a journal as it went there?
#include "validation/case_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

CaseResult some_result() {
  CaseResult out;
  out.name = "a \"case\" \n é";
  out.kind = CaseKind::closed_loop_sessions;
  out.source = "somebody";
  out.model = "m";
  out.gpu = "H100";
  out.engine = "vllm";
  out.low_confidence = true;
  out.error = {Regime::calibrated, 0.1, 1.0 / 3, 0.3, 1.7};
  out.left_open = {"speculation", "clock"};
  out.metrics["ttft_ms.mean"].comparisons = {
      {"points[0].ttft_ms", 50.1, 49, 1e-300, std::numeric_limits<double>::infinity()},
      {"points[1].ttft_ms", 60, 70, std::nan(""), std::nan("")}};
  out.verdicts = {{true, false}};
  out.not_compared = {{"saturated", "no number"}};
  out.assumptions = {{"deployment.kv_dtype", "fp8"}};
  out.effects = {{StepPart::host, {{"ttft_ms.mean", 0.5}}}};
  out.published_predictions["other"] = {{"ttft_ms.mean", 48.5}};
  return out;
}

TEST(CaseRecord, loses_nothing) {
  const CaseResult result = some_result();
  const std::string text = json_of_case_result(result).dump();
  const auto again = read_case_result(Json::parse(text));
  ASSERT_TRUE(again);
  EXPECT_EQ(json_of_case_result(*again).dump(), text);
  EXPECT_EQ(again->name, result.name);
  EXPECT_EQ(again->kind, result.kind);
  EXPECT_EQ(again->error.ttft, 1.0 / 3);
  EXPECT_EQ(again->left_open, result.left_open);
  const auto& comparisons = again->metrics.at("ttft_ms.mean").comparisons;
  EXPECT_EQ(comparisons[0].low, 1e-300);
  EXPECT_TRUE(std::isinf(comparisons[0].high));
  EXPECT_TRUE(std::isnan(comparisons[1].low));
  EXPECT_EQ(again->effects.front().part, StepPart::host);
  EXPECT_EQ(again->effects.front().of_metric, result.effects.front().of_metric);
  EXPECT_EQ(again->published_predictions, result.published_predictions);
  EXPECT_EQ(again->assumptions, result.assumptions);
}

TEST(CaseRecord, is_refused_without_one_of_its_fields_or_with_another_kind_of_value) {
  const Json whole = json_of_case_result(some_result());
  for (const auto& [key, value] : whole.items()) {
    Json less = whole;
    less.erase(key);
    EXPECT_FALSE(is_case_result(less)) << key;
    Json other = whole;
    other[key] = Json(nullptr);
    EXPECT_FALSE(is_case_result(other)) << key;
  }
  Json beyond = whole;
  beyond["kind"] = 5;
  EXPECT_FALSE(is_case_result(beyond));
}

}  // namespace
}  // namespace plimsoll
