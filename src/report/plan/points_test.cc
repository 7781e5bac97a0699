#include "report/plan/points.h"

#include <gmock/gmock.h>

#include "report/plan/page.h"

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void add_candidate(PlanReport* report, const char* gpu, double usd, double rps) {
  CandidateResult& r = report->plan.candidates.emplace_back();
  r.candidate.gpu = gpu;
  r.usd_per_hour = usd;
  r.good_rps = rps;
  r.price.emplace();
  r.at_good.emplace();
}

TEST(FrontierText, marks_the_best_the_frontier_and_the_others) {
  PlanReport report;
  add_candidate(&report, "A", 1, 10);
  add_candidate(&report, "B", 2, 20);
  add_candidate(&report, "C", 3, 15);
  add_candidate(&report, "D", 4, 40);
  report.plan.best = 1;
  report.plan.frontier = {0, 1, 3};
  Style style;
  style.width = 60;
  style.utf8 = false;
  EXPECT_EQ(frontier_text(report, style),
            "     req/s    o on the frontier, . others that hold\n"
            "      40.0 |                                        1 x D o\n"
            "           |\n"
            "           |\n"
            "           |\n"
            "      20.0 |                       * 1 x B, best\n"
            "           |                                   .\n"
            "           |            o 1 x A\n"
            "           |\n"
            "           |\n"
            "         0 +-----------------------------------------------\n"
            "            0                                       $4.00/h\n");
}

TEST(FrontierText, has_a_title_of_its_own_line_where_the_name_is_long) {
  PlanReport report;
  report.request.slos = *parse_slos("slo", "background:ttft_p99<1500ms");
  report.request.rate_rps = 10;
  add_candidate(&report, "A", 1, 10);
  add_candidate(&report, "B", 2, 20);
  add_candidate(&report, "C", 3, 15);
  for (CandidateResult& c : report.plan.candidates) {
    c.at_good.emplace();
    c.at_good->slos.emplace_back().value_ms = c.good_rps;
  }
  report.plan.best = 1;
  report.plan.frontier = {0, 1};
  Style style;
  style.width = 60;
  style.utf8 = false;
  EXPECT_TRUE(
      frontier_text(report, style)
          .starts_with("  TTFT p99 of background\n    o on the frontier, . others that hold\n"))
      << frontier_text(report, style);
}

TEST(FrontierFigure, draws_one_that_would_squeeze_the_others_at_its_edge) {
  PlanReport report;
  for (int i = 1; i <= 4; ++i) add_candidate(&report, "A", i, 10 * i);
  report.plan.best = 1;
  report.plan.frontier = {0, 1, 2, 3};
  EXPECT_THAT(frontier_figure(report), Not(HasSubstr("off the scale")));
  add_candidate(&report, "B", 80, 20);
  report.plan.candidates.back().fate = Fate::dominated;
  const std::string chart = frontier_figure(report);
  EXPECT_THAT(chart, HasSubstr("Arrowhead: off the scale"));
  EXPECT_THAT(chart, HasSubstr("<path class=\"faint\" d=\"M347.0 "));
  EXPECT_THAT(chart, HasSubstr(">4</text>"));
  EXPECT_THAT(chart, Not(HasSubstr(">80</text>")));
}

TEST(FrontierText, is_left_out_where_there_is_nothing_to_compare) {
  PlanReport report;
  EXPECT_EQ(frontier_text(report, Style{}), "");
  add_candidate(&report, "A", 1, 10);
  report.plan.best = 0;
  EXPECT_EQ(frontier_text(report, Style{}), "");
}

TEST(PlanPoints, with_a_target_rate_are_of_the_latency_of_the_first_limit) {
  PlanReport report;
  add_candidate(&report, "A", 1, 10);
  report.plan.best = 0;
  report.request.rate_rps = 10;
  CandidateResult& r = report.plan.candidates[0];
  r.at_good->summary.cluster.ttft.p99_ms = 70;
  EXPECT_EQ(PlanPoints(report).value_name(), "TTFT p99");
  EXPECT_EQ(PlanPoints(report).value(r), 70);
  report.request.slos = *parse_slos("test", "e2e_p90<9s,ttft_p99<1s");
  r.at_good->slos.resize(2);
  r.at_good->slos[0].value_ms = 4000;
  EXPECT_EQ(PlanPoints(report).value_name(), "E2E p90");
  EXPECT_EQ(PlanPoints(report).value(r), 4000);
}

}  // namespace
}  // namespace plimsoll
