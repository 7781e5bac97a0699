// Does the first sentence of a capacity say what undermines it?
#include <gmock/gmock.h>

#include "report/capacity/capacity.h"

namespace plimsoll {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

LoadProbe test_of(std::int64_t instances, double rate_rps, Answer answer) {
  LoadProbe test;
  test.instances = static_cast<std::int32_t>(instances);
  test.rate_rps = rate_rps;
  test.answer = answer;
  test.state.verdict = SteadyVerdict::steady;
  return test;
}

// Four instances hold 40 req/s, and `spare` at most.
CapacityReport fewest_of(double spare_rps) {
  CapacityReport report;
  report.rate_rps = 40;
  report.headroom = 20;
  report.fewest.emplace();
  report.fewest->instances = 4;
  report.fewest->too_few = 3;
  report.fewest->tests = {test_of(4, 40, Answer::holds)};
  report.spare.emplace();
  report.spare->good_rps = spare_rps;
  report.spare->bad_rps = 1.05 * spare_rps;
  return report;
}

TEST(CapacityDecision, SaysYesWithHeadroomAndWhatToDeploy) {
  const Decision d = decision_of(fewest_of(44));
  EXPECT_EQ(d.verdict, DecisionVerdict::yes);
  EXPECT_EQ(decision_text(d),
            "4 instances (4 GPUs) hold 40 req/s (95 % confidence). Headroom is 10.0 %. "
            "Deploy 5 instances (5 GPUs) for 20 % headroom.");
}

TEST(CapacityDecision, SaysInItsFirstSentenceWhatTheModelsErrorTakesAndNextThatNoHeadroomWasShown) {
  CapacityReport report = fewest_of(40);
  report.model = Interval{3, 6};
  report.model_error = usual_error(Regime::measured);
  const Decision d = decision_of(report);
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_EQ(
      decision_text(d),
      "4 instances (4 GPUs) likely hold 40 req/s, but 6 instances would be needed if steps are "
      "as slow as the model's error allows. Also, no headroom was demonstrated (it is below "
      "5.00 %). Deploy 6 instances (6 GPUs) to cover the model's error.");
  EXPECT_EQ(d.action, "Deploy 6 instances (6 GPUs) to cover the model's error");
  EXPECT_THAT(capacity_text(report, {}), StartsWith("4 instances (4 GPUs) likely hold 40 req/s"));
  EXPECT_THAT(capacity_json(report),
              AllOf(StartsWith("{\n  \"decision\": {\n    \"verdict\": \"likely\""),
                    HasSubstr("\"doubt\": \"slow_steps_need\"")));
}

TEST(CapacityDecision, MarksTheRowOfWhatItRecommends) {
  CapacityReport report = fewest_of(44);
  report.model = Interval{3, 6};
  report.model_error = usual_error(Regime::measured);
  for (const std::int64_t n : {5, 6}) report.fewest->tests.push_back(test_of(n, 40, Answer::holds));
  EXPECT_THAT(decision_of(report).action, StartsWith("Deploy 6 instances"));
  EXPECT_EQ(evidence(report).front().cells, (std::vector<std::string>{"4", "5", "6 <- pick"}));
}

TEST(CapacityDecision, SaysThatFewerMayDoWhereNoTestDecided) {
  CapacityReport report = fewest_of(44);
  report.fewest->too_few = 1;
  report.fewest->tests = {test_of(1, 40, Answer::fails), test_of(2, 40, Answer::unclear),
                          test_of(3, 40, Answer::unclear), test_of(4, 40, Answer::holds)};
  EXPECT_THAT(
      decision_text(decision_of(report)),
      StartsWith("At most 4 instances (4 GPUs) are needed for 40 req/s, but as few as 2 may do: no "
                 "test was long enough to decide. Headroom is 10.0 %."));
  report.fewest->too_few = 2;
  report.fewest->tests[1].answer = Answer::fails;
  EXPECT_THAT(decision_text(decision_of(report)), HasSubstr("; 3 is too close to call ("));
}

TEST(CapacityDecision, OfADeploymentMissesARateThatSlowStepsMiss) {
  CapacityReport report = fewest_of(44);
  report.fewest.reset();
  report.rate.emplace();
  report.rate->good_rps = 44;
  report.rate->bad_rps = 46;
  report.rate->tests = {test_of(4, 44, Answer::holds), test_of(4, 46, Answer::fails)};
  report.instances = 4;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  report.model = Interval{38, 50};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::likely);
  report.rate_rps = 46;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::no);
}

}  // namespace
}  // namespace plimsoll
