#include "metrics/goodput.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

GoodputTargets ttft_targets(const char* text) {
  GoodputTargets targets;
  EXPECT_TRUE(parse_slo_limits("--slo-ttft", text, &SloLimits::ttft, &targets)) << text;
  return targets;
}

Duration ttft_of(const GoodputTargets& targets, SloClass slo_class) {
  return targets[static_cast<std::size_t>(slo_class)].ttft;
}

TEST(SloLimits, are_by_class_or_for_all_others) {
  const GoodputTargets some = ttft_targets("critical=200ms,default=1.5s");
  EXPECT_EQ(ttft_of(some, SloClass::critical), milliseconds(200));
  EXPECT_EQ(ttft_of(some, SloClass::unset), milliseconds(1500));
  EXPECT_EQ(ttft_of(some, SloClass::batch), kNoDuration);
  const GoodputTargets all = ttft_targets("500ms,batch=5s");
  EXPECT_EQ(ttft_of(all, SloClass::unset), milliseconds(500));
  EXPECT_EQ(ttft_of(all, SloClass::background), milliseconds(500));
  EXPECT_EQ(ttft_of(all, SloClass::batch), seconds(5));
}

TEST(SloLimits, of_the_flags_come_before_those_of_the_file_dimension_by_dimension) {
  GoodputTargets flags = ttft_targets("critical=200ms");
  GoodputTargets file = ttft_targets("critical=1s,batch=9s");
  file[static_cast<std::size_t>(SloClass::critical)].e2e = seconds(7);
  fill_in(file, &flags);
  EXPECT_EQ(ttft_of(flags, SloClass::critical), milliseconds(200));
  EXPECT_EQ(flags[static_cast<std::size_t>(SloClass::critical)].e2e, seconds(7));
  EXPECT_EQ(ttft_of(flags, SloClass::batch), seconds(9));
}

TEST(SloLimits, refuse_what_is_no_limit) {
  for (const char* text : {"",
                           ",",
                           "critical",
                           "critical=",
                           "=5ms",
                           "critical=5",
                           "critical=0ms",
                           "critical=-5ms",
                           "crtical=5ms",
                           "critical=5ms,",
                           "critical=5ms,,batch=1s",
                           "critical=5ms,critical=6ms",
                           "5ms,6ms",
                           "critical=5ms=6ms",
                           "critical =5ms",
                           "unset=5ms",
                           "critical=5 ms",
                           "critical:5ms",
                           "critical=nan",
                           "critical=99999999h"}) {
    GoodputTargets targets;
    const auto read = parse_slo_limits("--slo-ttft", text, &SloLimits::ttft, &targets);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(format(read.error()).find("error: --slo-ttft: "), 0u) << format(read.error());
  }
  GoodputTargets targets;
  const auto typo = parse_slo_limits("--slo-ttft", "crtical=5ms", &SloLimits::ttft, &targets);
  EXPECT_NE(format(typo.error()).find("did you mean \"critical\"?"), std::string::npos);
}

TEST(Goodput, counts_good_requests_against_all_that_arrived) {
  RunRecord record;
  const auto critical = SloClass::critical;
  // Within all limits; too slow to start; gaps of 30 ms; unfinished; turned away; of another class.
  add_row(&record, {.ttft = 100, .e2e = 200, .slo_class = critical});
  add_row(&record, {.ttft = 300, .e2e = 400, .slo_class = critical});
  add_row(&record, {.ttft = 100, .e2e = 400, .slo_class = critical});
  add_row(&record, {.outcome = Outcome::unfinished, .ttft = 50, .slo_class = critical});
  add_row(&record, {.outcome = Outcome::rejected, .instance = -1, .slo_class = critical});
  add_row(&record, {.ttft = 10, .e2e = 20, .slo_class = SloClass::batch});
  record.instances[0].end = Time{} + seconds(2);
  SummaryOptions options;
  options.goodput = ttft_targets("critical=200ms,background=1s");
  options.goodput[static_cast<std::size_t>(critical)].itl = milliseconds(20);
  const Summary s = summarize(record, options);
  ASSERT_TRUE(s.goodput);
  EXPECT_EQ(s.goodput->all.arrived, 5);
  EXPECT_EQ(s.goodput->all.completed, 3);
  EXPECT_EQ(s.goodput->all.good, 1);
  EXPECT_DOUBLE_EQ(s.goodput->all.attainment, 0.2);
  EXPECT_DOUBLE_EQ(s.goodput->all.goodput_rps, 0.5);
  ASSERT_EQ(s.goodput->classes.size(), 2u);
  const ClassGoodput& c = s.goodput->classes[0];
  EXPECT_EQ(c.name, "critical");
  EXPECT_DOUBLE_EQ(*c.ttft_attainment, 2.0 / 3);  // of the completed
  EXPECT_DOUBLE_EQ(*c.itl_attainment, 2.0 / 3);
  EXPECT_FALSE(c.e2e_attainment);
  EXPECT_EQ(s.goodput->classes[1].name, "background");
  EXPECT_EQ(s.goodput->classes[1].figures.arrived, 0);
  EXPECT_EQ(s.goodput->classes[1].figures.attainment, 0);
  // Fewer keep both limits than keep either; what is unfinished or turned away keeps none.
  const KeptLimit least = *least_kept(*s.goodput);
  EXPECT_EQ(least.slo_class, "");  // no request of another class has limits
  EXPECT_EQ(least.of, "TTFT");
  EXPECT_DOUBLE_EQ(least.share, 0.4);
}

TEST(Goodput, is_kept_least_by_the_limit_that_most_miss) {
  RunRecord record;
  for (const double e2e : {100., 100., 900.}) {
    add_row(&record, {.ttft = 50, .e2e = e2e, .slo_class = SloClass::critical});
    add_row(&record, {.ttft = 50, .e2e = 100, .slo_class = SloClass::batch});
  }
  GoodputTargets targets;
  for (SloLimits& of_class : targets) of_class = {milliseconds(60), kNoDuration, milliseconds(500)};
  SummaryOptions options;
  options.goodput = targets;
  const KeptLimit least = *least_kept(*summarize(record, options).goodput);
  EXPECT_EQ(least.slo_class, "critical");
  EXPECT_EQ(least.of, "E2E");
  EXPECT_DOUBLE_EQ(least.share, 2.0 / 3);
}

TEST(Goodput, asks_no_gap_of_an_answer_of_one_token_and_allows_the_limit_itself) {
  RunRecord record;
  add_row(&record, {.ttft = 200, .e2e = 200, .output = 1});
  SummaryOptions options;
  options.goodput = ttft_targets("200ms");
  options.goodput[0].itl = milliseconds(1);
  EXPECT_EQ(summarize(record, options).goodput->all.good, 1);
}

TEST(Goodput, is_absent_when_nobody_asked) { EXPECT_FALSE(summarize(RunRecord{}).goodput); }

}  // namespace
}  // namespace plimsoll
