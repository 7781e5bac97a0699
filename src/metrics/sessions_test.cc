#include "metrics/sessions.h"

#include <gtest/gtest.h>

#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

SessionFigures figures(const RunRecord& record, std::size_t first_row = 0) {
  return session_figures(record.requests, metric_definitions().front(), first_row);
}

TEST(Sessions, part_first_rounds_from_later_ones) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .ttft = 100, .e2e = 1000, .session = 0, .round = 0});
  add_row(&record, {.arrival = 500, .ttft = 80, .e2e = 700, .session = 2, .round = 0});
  add_row(&record, {.arrival = 600, .ttft = 5, .e2e = 50});  // of no session
  add_row(&record, {.arrival = 2000, .ttft = 20, .e2e = 900, .session = 0, .round = 1});
  add_row(&record, {.arrival = 4000, .ttft = 40, .e2e = 600, .session = 0, .round = 2});
  const SessionFigures s = figures(record);
  EXPECT_EQ(s.sessions, 2);  // index 1 never arrived
  EXPECT_EQ(s.rounds, 4);
  EXPECT_EQ(s.cold_rounds, 2);
  EXPECT_EQ(s.warm_rounds, 2);
  EXPECT_DOUBLE_EQ(s.ttft_cold.mean_ms, 90);
  EXPECT_DOUBLE_EQ(s.ttft_warm.p50_ms, 30);
  EXPECT_EQ(s.timed_sessions, 2);
  EXPECT_DOUBLE_EQ(s.duration.mean_ms, (4600 + 700) / 2.0);
}

TEST(Sessions, last_from_a_seen_first_round_to_a_completion) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .outcome = Outcome::unfinished, .ttft = 9, .session = 0});
  add_row(&record, {.arrival = 1, .ttft = 8, .e2e = 20, .session = 1, .round = 3});
  const SessionFigures s = figures(record);
  EXPECT_EQ(s.sessions, 2);
  EXPECT_EQ(s.timed_sessions, 0);
  EXPECT_EQ(s.duration.mean_ms, 0);
  EXPECT_DOUBLE_EQ(s.ttft_cold.mean_ms, 9);
}

TEST(Sessions, leave_the_warm_up_out_of_latencies_only) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .ttft = 100, .e2e = 200, .session = 0, .round = 0});
  add_row(&record, {.arrival = 300, .ttft = 20, .e2e = 100, .session = 0, .round = 1});
  const SessionFigures s = figures(record, 1);
  EXPECT_EQ(s.cold_rounds, 0);
  EXPECT_EQ(s.ttft_cold.mean_ms, 0);
  EXPECT_DOUBLE_EQ(s.ttft_warm.mean_ms, 20);
  EXPECT_EQ(s.rounds, 2);
  EXPECT_DOUBLE_EQ(s.duration.mean_ms, 400);
}

}  // namespace
}  // namespace plimsoll
