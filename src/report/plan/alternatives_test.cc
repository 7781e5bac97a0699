#include "report/plan/figures.h"

#include <gtest/gtest.h>

#include <numeric>

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
  EXPECT_EQ(why_not_text(report, {&slow, false}).find("exchanges"), std::string::npos);
  slow.estimate.all_reduce_share = 0.7;
  EXPECT_NE(why_not_text(report, {&slow, false})
                .find("; exchanges between its GPUs take 70.0 % of a step"),
            std::string::npos);
}

}  // namespace
}  // namespace plimsoll
