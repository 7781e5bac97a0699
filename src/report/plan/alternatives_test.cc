#include "report/plan/figures.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "report/plan/page.h"

namespace plimsoll {
namespace {

// Each dearer than the one before and each on a GPU of the same type.
PlanReport with_candidates(std::size_t count) {
  PlanReport report;
  report.request.rate_rps = 10;
  for (std::size_t i = 0; i < count; ++i) {
    CandidateResult& r = report.plan.candidates.emplace_back();
    r.id = std::ssize(report.plan.candidates);
    r.candidate.gpu = "H100";
    r.fate = Fate::feasible;
    r.good_rps = 10;
    r.usd_per_hour = 1 + static_cast<double>(i);
    r.at_good.emplace();
  }
  report.plan.best = 0;
  return report;
}

TEST(PlanAlternatives, NameTheBestWithMeasuredKernelsBesideAPickThatIsAGuess) {
  PlanReport report = with_candidates(3);
  report.plan.cheapest_known = 2;
  const std::vector<Alternative> shown = alternatives_of(report.request, report.plan);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].result->id, 1);
  EXPECT_EQ(shown[1].result->id, 3);
}

TEST(PlanAlternatives, LeaveOutTheDearestWhereThereAreTooMany) {
  PlanReport report = with_candidates(40);
  report.plan.frontier.resize(40);
  std::iota(report.plan.frontier.rbegin(), report.plan.frontier.rend(), 0);
  const std::vector<Alternative> shown = alternatives_of(report.request, report.plan);
  ASSERT_EQ(shown.size(), 24U);
  EXPECT_EQ(shown.back().result->id, 24);
}

TEST(PlanAlternatives, SayWhereExchangesBetweenGpusTakeMostOfAStep) {
  PlanReport report = with_candidates(2);
  CandidateResult& slow = report.plan.candidates[1];
  slow.estimate.all_reduce_share = 0.4;
  EXPECT_EQ(why_not_text(report, {&slow}).find("exchanges"), std::string::npos);
  slow.estimate.all_reduce_share = 0.7;
  EXPECT_NE(
      why_not_text(report, {&slow}).find("; exchanges between its GPUs take 70.0 % of a step"),
      std::string::npos);
}

// Left when it could not beat the pick any more: 10 instances were shown to hold, 8 might have.
TEST(PlanAlternatives, ShowWhatWasTestedWhereSomethingWas) {
  PlanReport report = with_candidates(2);
  report.request.slos.clear();
  report.plan.candidates[0].price.emplace();
  CandidateResult& left = report.plan.candidates[1];
  left.candidate.gpu = "A100-80";
  left.candidate.replicas = 10;
  left.fate = Fate::dominated;
  left.reason = {CandidateCause::beaten, 1};
  left.price.emplace();
  left.bound.emplace(CandidateBound{left.candidate, 1.5, 0});
  left.bound->candidate.replicas = 8;
  const Alternative tested = alternatives_of(report.request, report.plan).back();
  ASSERT_EQ(tested.result, &left);
  EXPECT_EQ(tested.candidate().replicas, 10);
  EXPECT_EQ(tested.usd_per_hour(), 2);
  EXPECT_EQ(figures_of(report, tested).usd, "<= 2.00");
  EXPECT_EQ(why_not_text(report, tested),
            "holds, but costs at most 100 % more an hour than #1; fewer instances not tested");

  left.at_good.reset();
  const Alternative bound = alternatives_of(report.request, report.plan).back();
  EXPECT_EQ(bound.candidate().replicas, 8);
  EXPECT_EQ(figures_of(report, bound).usd, ">= 1.50");
  EXPECT_EQ(why_not_text(report, bound), "a bound, not tested: cannot beat #1");
}

// 10 req/s at most for $2.20 beside 10 req/s for $1; and at least 10 req/s for $2.
TEST(PlanAlternatives, SayOfBoundsWhichWayTheyAre) {
  PlanReport report = with_candidates(2);
  report.request.rate_rps.reset();
  report.request.highest_rps = 10;
  report.plan.candidates[0].price.emplace();
  CandidateResult& other = report.plan.candidates[1];
  other.price.emplace();
  other.reason = {CandidateCause::costs_more, 1.0};
  other.bad_rps = std::numeric_limits<double>::infinity();
  EXPECT_EQ(figures_of(report, {&other}).rate, ">= 10.0");
  EXPECT_TRUE(why_not_text(report, {&other}).starts_with("costs at most 100 % more"));
  other.bound.emplace(CandidateBound{other.candidate, 2.2, 10});
  other.at_good.reset();
  const Alternative bound{&other};
  EXPECT_EQ(figures_of(report, bound).usd, "2.20");
  EXPECT_EQ(figures_of(report, bound).rate, "<= 10.0");
  EXPECT_EQ(extra_cost_text(report, bound, report.plan.candidates[0]),
            "at least 120 % more per request");
}

TEST(PlanAlternatives, SayOfWhatIsOnTheFrontierWhatSpeaksForItAlone) {
  PlanReport report = with_candidates(2);
  report.plan.candidates[1].reason = {CandidateCause::beaten, 1};
  report.plan.frontier = {0, 1};
  EXPECT_EQ(why_not_text(report, {&report.plan.candidates[1]}), "nothing cheaper is as fast");
}

}  // namespace
}  // namespace plimsoll
