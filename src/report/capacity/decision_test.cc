// Does the first sentence of a capacity say what undermines it?
#include <limits>

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

// They hold `good_rps`, and `bad_rps` is too much.
CapacityReport rate_of(double good_rps, double bad_rps) {
  CapacityReport report = fewest_of(good_rps);
  report.fewest.reset();
  report.spare.reset();
  report.instances = 4;
  report.rate.emplace();
  report.rate->good_rps = good_rps;
  report.rate->bad_rps = bad_rps;
  report.rate->tests = {test_of(4, good_rps, Answer::holds), test_of(4, bad_rps, Answer::fails)};
  return report;
}

TEST(CapacityDecision, SaysYesWithHeadroomAndWhatToDeploy) {
  const Decision d = decision_of(fewest_of(44));
  EXPECT_EQ(d.verdict, DecisionVerdict::yes);
  EXPECT_EQ(decision_text(d),
            "4 instances (4 GPUs) hold 40 req/s with a stable queue (95 % confidence, the model's "
            "error left out). "
            "Headroom is 10.0 %. "
            "Deploy 5 instances (5 GPUs) for 20 % headroom.");
}

TEST(CapacityDecision, IsNotSureWhenItWasInterruptedBeforeTheModelsErrorWasAsked) {
  CapacityReport report = fewest_of(44);
  report.interrupted = true;
  const Decision d = decision_of(report);
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_FALSE(d.confidence);
  EXPECT_THAT(decision_text(d), HasSubstr("the search was interrupted, so some tests are missing"));
  EXPECT_THAT(capacity_json(report), HasSubstr("\"interrupted\": true"));
}

TEST(CapacityDecision, DoesNotContradictWithItsHeadroomWhatTheModelsErrorTakes) {
  CapacityReport report = fewest_of(44);
  report.model = Interval{3, 6};
  report.model_error = usual_error(Regime::measured);
  EXPECT_THAT(decision_text(decision_of(report)), HasSubstr("Headroom is 10.0 % as simulated."));
}

TEST(CapacityDecision, SaysInItsFirstSentenceWhatTheModelsErrorTakesAndNextThatNoHeadroomWasShown) {
  CapacityReport report = fewest_of(40);
  report.model = Interval{3, 6};
  report.model_error = usual_error(Regime::measured);
  const Decision d = decision_of(report);
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_EQ(decision_text(d),
            "4 instances (4 GPUs) likely hold 40 req/s with a stable queue, but 6 instances would "
            "be needed if real steps are as slow as the model's error allows. Also, no headroom "
            "was demonstrated (it is below "
            "5.00 %). Deploy 6 instances (6 GPUs) to cover the model's error.");
  EXPECT_EQ(d.action, "Deploy 6 instances (6 GPUs) to cover the model's error");
  EXPECT_THAT(capacity_text(report, {}), StartsWith("4 instances (4 GPUs) likely hold 40 req/s"));
  EXPECT_THAT(capacity_json(report),
              AllOf(StartsWith("{\n  \"decision\": {\n    \"verdict\": \"likely\""),
                    HasSubstr("\"doubt\": \"slow_steps_need\"")));
}

// Who gave up after 5 s has no TTFT that would break a limit.
TEST(CapacityDecision, DoesNotTakeADeadlineForALimit) {
  CapacityReport report = rate_of(0, 1);
  report.rate->tests = {test_of(1, 1, Answer::fails)};
  report.rate_rps = 0;
  report.slos = *parse_slos("--slo", "ttft_p99<500ms");
  report.idle = test_of(1, 0.0025, Answer::fails);
  report.idle->state.lost_share = 0.627;
  report.idle->reason = {ProbeCause::lost, 0.627, 0};
  report.idle->summary.bottleneck.lever = Remedy::more_time;
  EXPECT_EQ(decision_text(decision_of(report)),
            "Not even a nearly idle instance answers in time: 62.7 % of the "
            "requests timed out. What helps: more time (--timeout) or faster answers (a higher "
            "--tp, another --hardware): the instances have room.");
}

// At one load an instance gets no requests, at another it does: what holds depends on the tests.
TEST(CapacityDecision, IsNotSureWhereTheRouterLeavesInstancesIdle) {
  CapacityReport report = rate_of(44, 46);
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  for (LoadProbe& test : report.rate->tests) {
    const CapacityReport before = report;
    test.summary.bottleneck.lever = {Remedy::spread_requests, 4, 1, 0.9};
    const Decision d = decision_of(report);
    EXPECT_EQ(d.verdict, DecisionVerdict::likely);
    EXPECT_THAT(decision_text(d), HasSubstr("but the router leaves instances idle at some loads"));
    report = before;
  }
}

// Whatever the rate that was asked for, and with a stable queue alone.
TEST(CapacityDecision, SaysHowManyRequestsAreNotServed) {
  CapacityReport report = rate_of(44, 46);
  report.rate_rps = 0;
  report.rate->tests.front().lost_share = 0.04;
  EXPECT_THAT(
      decision_text(decision_of(report)),
      HasSubstr("44 req/s with a stable queue, while 4.00 % of the requests are not served"));
}

TEST(CapacityDecision, SaysThatTheSpeedOfItsGpuIsAGuess) {
  CapacityReport report = fewest_of(44);
  report.model = Interval{3, 4};
  report.model_error = usual_error(Regime::unknown);
  const Decision d = decision_of(report);
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_THAT(
      decision_text(d),
      HasSubstr(
          "but nobody measured this GPU: steps may be longer or shorter by a factor of 1.49"));
  EXPECT_THAT(d.action, StartsWith("Measure its step times before you rely on it. Deploy 5"));
  EXPECT_THAT(capacity_json(report), HasSubstr("\"doubt\": \"guess\""));
  report.model_error = usual_error(Regime::transferred);
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
}

TEST(CapacityDecision, NamesTheGpuThatNobodyNamed) {
  CapacityReport report = fewest_of(44);
  report.config.entries.push_back({"hardware", std::string("H100"), "catalog"});
  EXPECT_THAT(
      decision_text(decision_of(report)),
      AllOf(StartsWith("4 instances (4 x H100) hold"), HasSubstr("Deploy 5 instances (5 x H100)")));
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
  EXPECT_THAT(decision_text(decision_of(report)),
              StartsWith("At most 4 instances (4 GPUs) are needed for 40 req/s with a stable "
                         "queue, but 2 may be enough: no "
                         "test was long enough to decide. Headroom is 10.0 %."));
  report.fewest->too_few = 2;
  report.fewest->tests[1].answer = Answer::fails;
  EXPECT_THAT(decision_text(decision_of(report)), HasSubstr("; 3 is too close to call ("));
}

TEST(CapacityDecision, SaysThatFewerWereNotTestedWhereTheSearchWasCutShort) {
  CapacityReport report = fewest_of(44);
  report.fewest->too_few = 0;
  report.fewest->tests = {test_of(4, 40, Answer::holds)};
  EXPECT_THAT(decision_text(decision_of(report)),
              StartsWith("At most 4 instances (4 GPUs) are needed for 40 req/s with a stable "
                         "queue, but fewer were not "
                         "tested. Headroom is 10.0 %."));
  report.fewest->too_few = 1;
  report.fewest->tests.insert(report.fewest->tests.begin(), test_of(1, 40, Answer::fails));
  EXPECT_THAT(decision_text(decision_of(report)),
              HasSubstr("but 2 may be enough: they were not tested."));
}

TEST(CapacityDecision, OfADeploymentMissesARateThatSlowStepsMiss) {
  CapacityReport report = rate_of(44, 46);
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  report.model = Interval{38, 50};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::likely);
  report.rate_rps = 46;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::no);
}

// Two days at 0.1 req/s on average pass in minutes, and the hours of their peaks with them.
TEST(CapacityDecision, SaysThatThePeaksOfFiniteTrafficAreOverTooSoonToCount) {
  CapacityReport report = fewest_of(44);
  report.traffic = {0.1, 1.5};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes) << "a level rate has no peaks";
  LoadProbe& held = report.fewest->tests[0];
  held.state.verdict = SteadyVerdict::transient;
  held.state.reason = SteadyCause::rate_changes;
  EXPECT_EQ(decision_text(decision_of(report)),
            "4 instances (4 GPUs) likely hold 40 req/s with a stable queue, but the traffic is "
            "sped up 400 times, so its peak of 60.0 req/s is too brief to count. Headroom is 10.0 "
            "%. Deploy "
            "7 instances (7 GPUs) for 20 % headroom at the peak.");
  report.traffic.span_s = 2 * 86'400.0 * 100;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes) << "a peak still lasts hours";
  report.traffic = {30, 1.5};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes) << "it passes nearly as given";
}

TEST(CapacityDecision, OfARateAboveWhichNothingFailsSaysThatItIsNoLimit) {
  CapacityReport report = rate_of(44, 46);
  report.rate_rps = 0;
  report.rate->bad_rps = std::numeric_limits<double>::infinity();
  report.rate->tests[1].answer = Answer::unclear;
  report.rate->tests[1].reason = ProbeCause::steady_state;
  report.rate->tests[1].state = {SteadyVerdict::too_short, {SteadyCause::few_requests, 99}};
  report.model = Interval{40, std::numeric_limits<double>::infinity()};
  report.model_error = usual_error(Regime::measured);
  EXPECT_THAT(
      decision_text(decision_of(report)),
      StartsWith("4 instances (4 GPUs) hold 40 req/s with a stable queue (90 % confidence); "
                 "at least 44 req/s as simulated; at 46 req/s 99 requests "
                 "are too few for a steady state."));
  EXPECT_THAT(capacity_text(report, {}),
              HasSubstr("at least 40 req/s\n             (90 % confidence)"));
}

TEST(CapacityDecision, OfADeploymentWithLessHeadroomThanWasAskedForHoldsTheRateAllTheSame) {
  CapacityReport report = rate_of(44, 46);
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes) << "20 % is only what is usual";
  EXPECT_TRUE(report.keeps_headroom());
  EXPECT_EQ(decision_of(report).action, "Deploy 5 instances (5 GPUs) for 20 % headroom");
  report.headroom_is_asked = true;
  EXPECT_FALSE(report.keeps_headroom());
  EXPECT_THAT(decision_text(decision_of(report)),
              HasSubstr("but the headroom is less than the 20.0 % asked for"));
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  report.headroom = 10;
  EXPECT_TRUE(report.keeps_headroom());
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
}

TEST(CapacityDecision, SaysWhatLetsMoreInWhereAdmissionTurnsRequestsAway) {
  CapacityReport report = rate_of(2, 4);
  Bottleneck& bottleneck = report.rate->tests[1].summary.bottleneck;
  bottleneck.resource = ShortResource::admission;
  bottleneck.lever = {Remedy::faster_refill, 1000, 20'000, false};
  // Ten times the rate that was tested asks for ten times the tokens.
  EXPECT_EQ(decision_of(report).action,
            "Let more in: --token-bucket-refill-rate 10000 --token-bucket-capacity 20000 at "
            "40 req/s");
  bottleneck.lever = {Remedy::refill_and_instances, 1000, 20'000, 1, false};
  EXPECT_EQ(decision_of(report).action,
            "Let more in: --token-bucket-refill-rate 10000 --token-bucket-capacity 20000 at "
            "40 req/s")
      << "how many instances is another question";
}

TEST(CapacityDecision, SaysWhichPoolIsShortAndWhichPoolsMayHold) {
  CapacityReport report = rate_of(30, 32);
  report.pools = {{"prefill", PoolRole::prefill, 1}, {"decode", PoolRole::decode, 3}};
  ProbeSummary& summary = report.rate->tests[1].summary;
  summary.pools.split = true;
  summary.pools.verdict = PoolVerdict::prefill_short;
  summary.pools.pools.resize(2);
  summary.pools.pools[0].name = "prefill";
  summary.pools.pools[0].fullness = 0.99;
  summary.pools.pools[1].name = "decode";
  summary.pools.pools[1].fullness = 0.2;
  summary.bottleneck.lever = {Remedy::divided_instances, 2, 3};
  EXPECT_EQ(decision_of(report).action,
            "Prefill is short (prefill 99.0 % full, decode 20.0 % full): try "
            "--prefill-instances 2 --decode-instances 3");
  summary.bottleneck.lever = {};
  EXPECT_EQ(decision_of(report).action,
            "Prefill is short (prefill 99.0 % full, decode 20.0 % full)");
}

TEST(CapacityDecision, AsksForMoreInRatherThanForInstancesWhereAdmissionLimitsTheHeadroom) {
  CapacityReport report = rate_of(44, 50);
  Bottleneck& bottleneck = report.rate->tests[1].summary.bottleneck;
  bottleneck.resource = ShortResource::admission;
  bottleneck.lever = {Remedy::faster_refill, 1000, 20'000, false};
  // For 20 % more than 40 req/s, where 50 req/s brought 1,000 tokens/s.
  EXPECT_EQ(decision_of(report).action,
            "Let more in: --token-bucket-refill-rate 960 --token-bucket-capacity 20000 at "
            "48 req/s");
  report.headroom = 5;
  EXPECT_EQ(decision_of(report).action, "");
}

}  // namespace
}  // namespace plimsoll
