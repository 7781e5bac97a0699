#include "metrics/traffic_groups.h"

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

// Three users of client 1, who send again until a request fails; client 0 is somebody else.
RunRecord three_users(Outcome last_of_first, Outcome last_of_second) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .ttft = 10, .e2e = 100, .session = 0, .client = 1});
  add_row(&record, {.arrival = 1, .ttft = 10, .e2e = 100, .session = 1, .client = 1});
  add_row(&record, {.arrival = 2, .outcome = Outcome::rejected, .session = 2, .client = 0});
  add_row(&record, {.arrival = 3, .ttft = 10, .e2e = 100, .session = 3, .client = 1});
  add_row(&record, {.arrival = 200, .outcome = last_of_first, .session = 0, .client = 1});
  add_row(&record, {.arrival = 201, .outcome = last_of_second, .session = 1, .client = 1});
  return record;
}

TEST(Users, give_up_with_a_last_request_that_failed) {
  const RunRecord record = three_users(Outcome::timed_out, Outcome::unfinished);
  const Users users = users_of(record.requests, {1});
  EXPECT_EQ(users.users, 3);
  EXPECT_EQ(users.gave_up, 1);
  EXPECT_EQ(users_of(record.requests, {}).users, 0);
  const RunRecord shed = three_users(Outcome::shed, Outcome::rejected);
  EXPECT_EQ(users_of(shed.requests, {1}).gave_up, 2);
}

TEST(Users, who_gave_up_leave_no_steady_state) {
  SteadyState steady;
  steady.verdict = SteadyVerdict::steady;
  EXPECT_EQ(judge_users({100, 5}, steady).verdict, SteadyVerdict::steady);
  const SteadyState judged = judge_users({100, 6}, steady);
  EXPECT_EQ(judged.verdict, SteadyVerdict::transient);
  EXPECT_EQ(judged.reason, Because<SteadyCause>(SteadyCause::users_gave_up, 6, 100));
  SteadyState too_short;
  too_short.enough_requests = 1000;
  EXPECT_EQ(judge_users({20, 20}, too_short).enough_requests, 0);
  SteadyState overloaded;
  overloaded.verdict = SteadyVerdict::overloaded;
  EXPECT_EQ(judge_users({20, 20}, overloaded).verdict, SteadyVerdict::overloaded);
}

TEST(Sessions, say_how_many_rounds_find_the_one_before) {
  RunRecord record;
  for (int round = 0; round < 10; ++round) {
    add_row(&record, {.arrival = 100.0 * round,
                      .ttft = 10,
                      .e2e = 100,
                      .input = 120 * (round + 1),
                      .session = 0,
                      .round = round});
  }
  const auto find = [&](std::size_t row, std::int32_t tokens) {
    record.requests.cached_tokens.set(row, tokens, record.requests.size());
  };
  find(2, 240 + 11);
  find(3, 360);
  find(4, 240);  // half of it
  SessionFigures s = figures(record);
  EXPECT_DOUBLE_EQ(s.found_before, 2.0 / 9);
  EXPECT_FALSE(s.should_be_together());
  s.by_chance = 0.25;
  EXPECT_TRUE(s.should_be_together());
  s.by_chance = 0.5;  // most of those that came there found nothing: it was evicted
  EXPECT_FALSE(s.should_be_together());
}

}  // namespace
}  // namespace plimsoll
