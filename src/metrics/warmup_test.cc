#include "metrics/warmup.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;
using Kind = WarmupChoice::Kind;

TEST(ParseWarmup, reads_every_form) {
  EXPECT_EQ(parse_warmup("none")->kind, Kind::none);
  EXPECT_EQ(parse_warmup("auto")->kind, Kind::automatic);
  EXPECT_EQ(parse_warmup("1m30s")->time, seconds(90));
  EXPECT_EQ(parse_warmup("500requests")->requests, 500);
  EXPECT_EQ(parse_warmup("1request")->kind, Kind::requests);
}

TEST(ParseWarmup, refuses_everything_else) {
  for (const char* text : {"", "Auto", "30", "-30s", "requests", "-5requests", "1.5requests",
                           "500 requests", "5req", "some", "1e3requests"}) {
    const auto choice = parse_warmup(text);
    ASSERT_FALSE(choice) << text;
    EXPECT_NE(format(choice.error()).find("--warmup must be auto, none"), std::string::npos);
  }
}

// One request per second, each slower than the one before: TTFT 10, 20, ... 100 ms.
RunRecord ten_requests() {
  RunRecord record;
  for (int i = 0; i < 10; ++i) {
    add_row(&record, {.arrival = 1000.0 * i + 500,
                      .delay = 1,
                      .ttft = 10.0 * (i + 1),
                      .e2e = 10.0 * (i + 1) + 100});
  }
  return record;
}

TEST(Warmup, leaves_out_the_first_requests) {
  SummaryOptions options;
  options.warmup = {Kind::requests, {}, 4};
  const Summary s = summarize(ten_requests(), options);
  EXPECT_EQ(s.warmup.excluded, 4u);
  EXPECT_DOUBLE_EQ(s.warmup.until_s, 4);
  EXPECT_EQ(s.warmup.outcome, WarmupOutcome::cut);
  EXPECT_DOUBLE_EQ(s.cluster.ttft.mean_ms, 75);  // 50 to 100
  EXPECT_DOUBLE_EQ(s.instances[0].e2e.mean_ms, 175);
  EXPECT_EQ(s.cluster.completed, 10);  // counts and rates are of the whole run
}

TEST(Warmup, counts_time_from_the_first_arrival) {
  SummaryOptions options;
  options.warmup = {Kind::time, milliseconds(7001), 0};
  const Summary s = summarize(ten_requests(), options);
  EXPECT_EQ(s.warmup.excluded, 8u);
  EXPECT_DOUBLE_EQ(s.cluster.ttft.mean_ms, 95);
}

TEST(Warmup, may_leave_nothing) {
  SummaryOptions options;
  options.warmup = {Kind::requests, {}, 1000};
  const Summary s = summarize(ten_requests(), options);
  EXPECT_EQ(s.warmup.excluded, 10u);
  EXPECT_EQ(s.cluster.ttft.mean_ms, 0);
  options.warmup = {Kind::time, seconds(5), 0};
  EXPECT_EQ(summarize(RunRecord{}, options).warmup.excluded, 0u);
}

TEST(Warmup, leaves_a_steady_verdict_only_to_a_hundred_requests) {
  RunRecord record;
  for (int i = 0; i < 150; ++i) add_row(&record, {.arrival = 100.0 * i, .ttft = 10, .e2e = 100});
  SteadyState steady;
  steady.verdict = SteadyVerdict::steady;
  const auto judged = [&](std::size_t excluded) {
    return judge_what_is_left(record.requests, {excluded, 0, WarmupOutcome::cut}, steady);
  };
  EXPECT_EQ(judged(50).verdict, SteadyVerdict::steady);
  EXPECT_EQ(judged(51).verdict, SteadyVerdict::too_short);
  EXPECT_EQ(judged(51).reason, Because<SteadyCause>(SteadyCause::warmup_leaves_few, 99, 150, 100));
  steady.verdict = SteadyVerdict::overloaded;
  EXPECT_EQ(judged(150).verdict, SteadyVerdict::overloaded);
}

TEST(Warmup, is_found_only_in_a_steady_run) {
  SummaryOptions options;
  options.warmup = {Kind::automatic, {}, 0};
  const Summary s = summarize(ten_requests(), options);
  EXPECT_EQ(s.warmup.excluded, 0u);
  EXPECT_EQ(s.warmup.outcome, WarmupOutcome::no_steady_state);

  SteadyState steady;
  steady.verdict = SteadyVerdict::steady;
  steady.warmup_s = 2.5;
  const Warmup found = find_warmup(ten_requests().requests, options.warmup, steady);
  EXPECT_EQ(found.excluded, 3u);
  steady.warmup_s = 0;
  EXPECT_EQ(find_warmup(ten_requests().requests, options.warmup, steady).excluded, 0u);
}

}  // namespace
}  // namespace plimsoll
