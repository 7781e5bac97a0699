// Does a plan's first sentence say what undermines it, and do the text, the page and JSON agree?
#include <gmock/gmock.h>

#include "report/form/page.h"
#include "report/plan/figures.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Two H100 that hold 40 req/s, shown up to `good` and not at `bad`.
PlanReport plan_of(double good_rps, double bad_rps) {
  CandidateResult r;
  r.id = 1;
  r.candidate.gpu = "H100";
  r.candidate.replicas = 2;
  r.fate = Fate::feasible;
  r.good_rps = 40;
  r.at_good.emplace();
  r.at_good->rate_rps = 40;
  PlanReport report;
  report.request.rate_rps = 40;
  report.plan.candidates = {r};
  report.plan.best = 0;
  report.plan.headroom.emplace();
  report.plan.headroom->good_rps = good_rps;
  report.plan.headroom->bad_rps = bad_rps;
  return report;
}

TEST(PlanDecision, SaysYesWithItsConfidenceAndHeadroom) {
  const Decision d = decision_of(plan_of(50, 52));
  EXPECT_EQ(d.verdict, DecisionVerdict::yes);
  EXPECT_EQ(decision_text(d),
            "2 x H100 (2 instances x TP1) hold 40 req/s with a stable queue (95 % confidence, the "
            "model's error left out). "
            "Headroom is 25.0 %.");
  EXPECT_EQ(decision_of(plan_of(48, 50)).action,
            "Deploy 3 x H100 (3 instances x TP1) for 25 % headroom (--spare-instances 1 "
            "plans for it)");
  PlanReport as_advised = plan_of(72, 74);
  as_advised.plan.candidates[0].candidate.spare = as_advised.request.spare = 1;
  EXPECT_EQ(decision_of(as_advised).action, "");
  // What was tested is all that is paid for: where it shows less than was hoped for, one more.
  as_advised.plan.headroom->good_rps = 49.8;
  EXPECT_EQ(decision_of(as_advised).action,
            "Deploy 4 x H100 (4 instances x TP1) for 25 % headroom (--spare-instances 2 "
            "plans for it)");
}

// Two for prefill and two for decode, beside what does not split.
PlanReport plan_of_divisions(double aggregated_usd, double split_usd) {
  PlanReport report = plan_of(50, 52);
  CandidateResult& whole = report.plan.candidates.front();
  whole.usd_per_hour = aggregated_usd;
  whole.price.emplace();
  CandidateResult apart = whole;
  apart.id = 2;
  apart.candidate.prefill = apart.candidate.decode = 1;
  apart.usd_per_hour = split_usd;
  report.plan.candidates.push_back(apart);
  report.plan.best_aggregated = BestOfDivision{0, aggregated_usd};
  report.plan.best_split = BestOfDivision{1, split_usd};
  report.plan.best = split_usd < aggregated_usd ? 1 : 0;
  return report;
}

TEST(PlanDecision, SaysWhetherToSplitAndByHowMuch) {
  EXPECT_EQ(
      decision_of(plan_of_divisions(12, 8)).contrast,
      "splitting prefill from decode pays: the best without it, 2 x H100 (2 instances x TP1), "
      "costs 50.0 % more");
  EXPECT_EQ(decision_of(plan_of_divisions(6, 8)).contrast,
            "splitting prefill from decode does not pay: the best split, 4 x H100 (2 prefill + 2 "
            "decode instances x TP1), costs 33.3 % more");
  EXPECT_EQ(
      decision_of(plan_of_divisions(8, 8)).contrast,
      "splitting prefill from decode makes no difference to the cost: the best split, 4 x H100 "
      "(2 prefill + 2 decode instances x TP1), costs as much");
  PlanReport none = plan_of_divisions(6, 8);
  none.plan.best_split.reset();
  EXPECT_THAT(decision_of(none).contrast, HasSubstr("no split was shown to keep the limits"));
  none.plan.candidates.pop_back();
  EXPECT_EQ(decision_of(none).contrast, "") << "nobody asked";
}

TEST(PlanDecision, SaysWhereOneInstanceFewerIsOpen) {
  PlanReport report = plan_of(50, 52);
  LoadProbe fewer;
  fewer.rate_rps = 40;
  fewer.instances = 1;
  fewer.answer = Answer::fails;
  fewer.reason = ProbeCause::queue_grows;
  report.plan.best_probes = {fewer};
  EXPECT_EQ(decision_of(report).contrast, "");
  report.plan.best_probes.front().answer = Answer::unclear;
  EXPECT_EQ(decision_of(report).contrast,
            "whether 1 instance is enough is too close to call (the queue grows by 0 req/s)");
}

TEST(PlanDecision, SaysWhereTheAnswerTurns) {
  using enum DivisionAnswer;
  PlanReport report = plan_of_divisions(12, 8);
  const std::string before = decision_of(report).contrast;
  report.turns = {{"rate_rps", "req/s", 40, {{0.5, with}, {1, with}, {2, with}}}};
  EXPECT_EQ(decision_of(report).contrast, before) << "nowhere";
  report.turns.push_back(
      {"prompt_tokens", "prompt tokens", 1000, {{0.5, neither}, {0.84, with}, {1, with}}});
  EXPECT_EQ(decision_of(report).contrast,
            before + "; that answer turns between 500 and 840 prompt tokens");
  report.turns.push_back(
      {"rate_rps", "req/s", 40, {{0.5, DivisionAnswer::without}, {1, with}}, DivisionKind::mix});
  EXPECT_THAT(turning_lines(report),
              testing::Contains("at 20.0 req/s mixing GPU types does not pay; at 40.0 it pays"));
}

TEST(PlanDecision, SaysInItsFirstSentenceThatTheModelsErrorMissesTheRate) {
  PlanReport report = plan_of(42, 44);
  report.plan.model_error = usual_error(Regime::measured);
  report.plan.model_rps = Interval{36, 48};
  const Decision d = decision_of(report);
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_THAT(
      first_sentence(d),
      AllOf(HasSubstr("likely hold 40 req/s"),
            HasSubstr("but only 36.0 req/s are sustainable if real steps are as slow as the")));
  EXPECT_EQ(d.action,
            "Deploy 3 x H100 (3 instances x TP1) for 25 % headroom (--spare-instances 1 "
            "plans for it)");
  report.plan.model_rps = Interval{22, 60};
  report.plan.best_with_slow_steps = 4;
  EXPECT_EQ(decision_of(report).action,
            "Deploy 4 x H100 (4 instances x TP1) to cover the model's error (--spare-instances "
            "2 plans for it)");
  report.request.max_gpus = 2;
  EXPECT_THAT(decision_of(report).action, HasSubstr(", beyond --max-gpus, to cover"));
}

// A mix that is the cheapest as predicted, and not once it has room.
TEST(PlanDecision, AdvisesWhatIsNeitherSplitNorMixedWhereThatCostsLessWithTheSameRoom) {
  PlanReport report = plan_of(42, 44);
  CandidateResult plain = report.plan.candidates[0];
  plain.candidate.replicas = 3;
  plain.usd_per_hour *= 1.5;
  report.plan.candidates.push_back(plain);
  report.plan.candidates[0].candidate.other_gpu = "L40S";
  report.plan.candidates[0].candidate.beside = 1;
  report.plan.plain_with_reserve = SizedCandidate{1, 3};
  EXPECT_THAT(decision_of(report).action,
              AllOf(StartsWith("Deploy 3 x H100 (3 instances x TP1)"),
                    HasSubstr("for 25 % headroom: the mix would take 3 x H100 + 1 x L40S")));
  report.plan.model_rps = Interval{22, 60};
  EXPECT_THAT(decision_of(report).action, EndsWith(": no mix tested is enough"));
}

TEST(PlanDecision, OfTheHighestRateSaysWhichCoversTheModelsError) {
  PlanReport report = plan_of(50, 52);
  report.request.rate_rps.reset();
  report.plan.headroom.reset();
  report.plan.candidates[0].bad_rps = 42;
  EXPECT_EQ(decision_of(report).action, "");
  report.plan.model_rps = Interval{36, 48};
  EXPECT_THAT(decision_text(decision_of(report)),
              AllOf(HasSubstr("36.0 req/s with a stable queue (90 % confidence); "),
                    HasSubstr("40.0 req/s as simulated")));
  EXPECT_EQ(decision_of(report).action, "") << "what covers the model's error is the answer";
  EXPECT_EQ(promised_rps(report, *report.best()), 36);
  report.plan.interrupted = true;
  EXPECT_EQ(promised_rps(report, *report.best()), 40) << "doubtful: the action names the rate";
}

TEST(PlanDecision, SaysInItsFirstSentenceThatNoHeadroomWasShownOrThatItWasCutShort) {
  EXPECT_THAT(first_sentence(decision_of(plan_of(40, 42))),
              HasSubstr("likely hold 40 req/s with a stable queue, but no headroom was "
                        "demonstrated (it is below 5.00 %)"));
  PlanReport report = plan_of(50, 52);
  report.plan.interrupted = true;
  EXPECT_THAT(first_sentence(decision_of(report)),
              AllOf(HasSubstr("likely hold"), HasSubstr("the search was interrupted")));
}

TEST(PlanDecision, WithoutACandidateTellsWhatFailedFromWhatWasNotShown) {
  PlanReport report = plan_of(50, 52);
  report.plan.best.reset();
  report.plan.headroom.reset();
  report.plan.candidates[0].fate = Fate::infeasible;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::no);
  report.plan.candidates[0].fate = Fate::unclear;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::not_shown);
}

TEST(PlanDecision, IsTheSameOnThePageInJsonAndInTheText) {
  PlanReport report = plan_of(40, 42);
  report.plan.best.reset();
  report.plan.candidates[0].fate = Fate::infeasible;
  const Decision d = decision_of(report);
  EXPECT_THAT(plan_verdict(report), StartsWith(first_sentence(d)));
  EXPECT_THAT(plan_html(report),
              HasSubstr("<h1>" + with_whole_quantities(first_sentence(d)) + "</h1>"));
  EXPECT_THAT(plan_json(report), AllOf(StartsWith("{\n  \"decision\": {\n    \"verdict\": \"no\""),
                                       HasSubstr("\"answer\": \"" + decision_text(d) + "\"")));
}

TEST(PlanDecision, WhereTheCheapestWasTooLargeToBeTestedAsksForAPlanWithoutTheLimit) {
  PlanReport report = plan_of(50, 52);
  report.plan.best.reset();
  report.plan.candidates.resize(1);
  report.plan.candidates[0] = CandidateResult();
  report.request.max_gpus = 2;
  EXPECT_THAT(decision_of(report).action, HasSubstr("Plan without --max-gpus to see what does"));
  report.plan.searched_beyond = true;
  EXPECT_EQ(decision_of(report).action, "");
}

TEST(PlanDecision, NamesTheTokenBudgetThatWasChosen) {
  PlanReport report = plan_of_divisions(12, 8);
  report.plan.candidates[0].candidate.max_num_batched_tokens = 512;
  EXPECT_THAT(decision_of(report).contrast,
              HasSubstr("2 x H100 (2 instances x TP1) with --max-num-batched-tokens 512, costs"));
}

TEST(PlanDecision, BeginsWithWhatToDeployInsteadOfThePick) {
  PlanReport report = plan_of_divisions(12, 8);
  report.plan.plain_with_reserve = SizedCandidate{0, 3};
  const Decision d = decision_of(report);
  EXPECT_TRUE(d.acts_first);
  EXPECT_THAT(decision_text(d),
              StartsWith(d.action + ". Without that reserve, 4 x H100 (2 prefill + 2 decode"));
  EXPECT_THAT(d.action, StartsWith("Deploy 3 x H100 (3 instances x TP1)"));
}

TEST(PlanPage, TakesNamesAsTexts) {
  PlanReport report = plan_of(50, 52);
  report.model = "<script>alert(1)</script>";
  report.command = "plimsoll plan 'a&b<c>.yaml'\x01\xff";
  const std::string page = plan_html(report);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, HasSubstr("'a&amp;b&lt;c&gt;.yaml'\xEF\xBF\xBD\xEF\xBF\xBD<"));
}

}  // namespace
}  // namespace plimsoll
