#include "workload/session_replay.h"

#include <gtest/gtest.h>

#include "workload/trace_v2.h"

namespace plimsoll {
namespace {

constexpr const char* kColumns =
    "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,"
    "streaming,input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,"
    "reason_ratio,model,deadline_us,server_input_tokens,arrival_time_us,send_time_us,"
    "first_chunk_time_us,last_chunk_time_us,num_chunks,status,error_message,finish_reason";

struct Row {
  int id = 0;
  std::string session = {};
  int round = 0;
  int input = 100;
  int output = 10;
  int arrival_us = 0;
  int last_chunk_us = 0;
  std::string slo_class = {};
  int deadline_us = 0;
  std::string group = {};
  int prefix = 0;
};

std::string text_of(const std::vector<Row>& rows) {
  std::string text = std::string(kColumns) + "\n";
  for (const Row& r : rows) {
    text += std::to_string(r.id) + ",c,t," + r.slo_class + "," + r.session + "," +
            std::to_string(r.round) + "," + r.group + "," + std::to_string(r.prefix) + ",false," +
            std::to_string(r.input) + "," + std::to_string(r.output) + ",0,0,0,0,0,," +
            std::to_string(r.deadline_us) + ",0," + std::to_string(r.arrival_us) + ",0,0," +
            std::to_string(r.last_chunk_us) + ",0,ok,,\n";
  }
  return text;
}

Workload workload_of(const std::vector<Row>& rows, bool exclude_service = true) {
  Result<LineReader> lines = LineReader::over(text_of(rows), "t.csv");
  TraceV2Reading reading;
  reading.closed_loop = true;
  reading.think_times_exclude_service = exclude_service;
  Result<TraceV2> trace = read_trace_v2_data(std::move(*lines), reading);
  if (!trace) {
    ADD_FAILURE() << format(trace.error());
    return {};
  }
  return std::move(trace->workload);
}

Departure departure_of(const Request& request, Time at, bool completed) {
  return {.row = 0,
          .tags = request.tags,
          .at = at,
          .awaited = true,
          .completed = completed,
          .generated_tokens = completed ? request.output_tokens : 0};
}

struct Replay {
  explicit Replay(const std::vector<Row>& rows, const SessionReplayOptions& options = {},
                  bool exclude_service = true)
      : workload(workload_of(rows, exclude_service)),
        source(workload, *sessions_of(workload, "t.csv"), options) {}

  Request next() {
    Request request;
    EXPECT_TRUE(source.next(&request));
    return request;
  }
  /// The request after the answer of `before`, which came at `at`.
  Request after(const Request& before, Time at) {
    Request request;
    EXPECT_TRUE(before.awaited);
    EXPECT_TRUE(source.follow_up(departure_of(before, at, true), &request));
    return request;
  }

  Workload workload;
  SessionReplay source;
};

constexpr Time at_ms(std::int64_t ms) { return Time{} + milliseconds(ms); }

TEST(SessionReplay, do_first_rounds_come_before_single_requests_of_the_same_time) {
  Replay replay({{.id = 5, .arrival_us = 1000},
                 {.id = 6, .session = "b", .arrival_us = 1000},
                 {.id = 7, .session = "a", .arrival_us = 1000},
                 {.id = 8, .arrival_us = 500},
                 {.id = 9, .session = "a", .round = 1, .arrival_us = 2000}});
  for (const std::int64_t id : {8, 6, 7, 5}) EXPECT_EQ(replay.next().id, id);
  Request none;
  EXPECT_FALSE(replay.source.next(&none));
  EXPECT_EQ(replay.source.last_recorded_arrival(), at_ms(1));
}

TEST(SessionReplay, does_a_round_follow_the_answer_after_the_recorded_think_time) {
  // The answer came at 1.5 s, the next request at 2.1 s: 600 ms to think.
  const std::vector<Row> rows{{.session = "s", .last_chunk_us = 1'500'000},
                              {.id = 1, .session = "s", .round = 1, .arrival_us = 2'100'000}};
  Replay replay(rows);
  EXPECT_EQ(replay.source.reaction_time(), milliseconds(600));
  const Request second = replay.after(replay.next(), at_ms(700));
  EXPECT_EQ(second.arrival, at_ms(1300));
  EXPECT_EQ(second.tags.think_time, milliseconds(600));
  EXPECT_FALSE(second.awaited);
  // The reference takes the time between the arrivals.
  Replay blis(rows, {}, false);
  EXPECT_EQ(blis.after(blis.next(), at_ms(700)).arrival, at_ms(2800));
}

TEST(SessionReplay, can_think_times_be_given) {
  SessionReplayOptions options;
  options.think_time = ThinkTime::of(milliseconds(40));
  Replay replay({{.session = "s"}, {.id = 1, .session = "s", .round = 1, .arrival_us = 9'000'000}},
                options);
  EXPECT_EQ(replay.after(replay.next(), at_ms(700)).arrival, at_ms(740));
}

TEST(SessionReplay, does_a_context_accumulate_what_was_generated) {
  const std::vector<Row> rows{
      {.session = "s", .input = 100, .output = 10},
      {.id = 1, .session = "s", .round = 1, .input = 50, .output = 7, .arrival_us = 1},
      {.id = 2, .session = "s", .round = 2, .input = 20, .output = 5, .arrival_us = 2}};
  for (const bool last_token : {true, false}) {
    SessionReplayOptions options;
    options.accumulate = true;
    options.context_has_last_token = last_token;
    Replay replay(rows, options);
    const Request first = replay.next();
    EXPECT_EQ(first.input_tokens, 100);
    EXPECT_TRUE(first.reusable);
    const Request second = replay.after(first, at_ms(1));
    EXPECT_EQ(second.input_tokens, last_token ? 160 : 159);
    ASSERT_EQ(second.prefix.size(), 1u);
    EXPECT_EQ(second.prefix[0].content, first.own_content);
    EXPECT_EQ(second.prefix[0].tokens, last_token ? 110 : 109);
    const Request third = replay.after(second, at_ms(2));
    EXPECT_EQ(third.input_tokens, last_token ? 187 : 185);
    EXPECT_FALSE(third.reusable);
    ASSERT_EQ(third.prefix.size(), 2u);
    EXPECT_EQ(third.prefix[1].content, second.own_content);
  }
}

TEST(SessionReplay, do_contexts_begin_with_the_prefix_of_the_group) {
  SessionReplayOptions options;
  options.accumulate = true;
  Replay replay({{.session = "s", .group = "g", .prefix = 64},
                 {.id = 1, .session = "s", .round = 1, .input = 50, .group = "g", .prefix = 64}},
                options);
  const Request first = replay.next();
  EXPECT_EQ(first.input_tokens, 164);
  const Request second = replay.after(first, at_ms(1));
  EXPECT_EQ(second.input_tokens, 164 + 10 + 50);
  ASSERT_EQ(second.prefix.size(), 2u);
  EXPECT_EQ(second.prefix[0].tokens, 64);
  EXPECT_EQ(second.prefix[1].tokens, 110);
}

TEST(SessionReplay, do_later_rounds_keep_what_is_theirs_or_look_like_the_first) {
  const std::vector<Row> rows{{.session = "s", .slo_class = "critical", .deadline_us = 5'000'000},
                              {.id = 1,
                               .session = "s",
                               .round = 1,
                               .arrival_us = 1'000'000,
                               .last_chunk_us = 1'000'000,
                               .slo_class = "batch",
                               .deadline_us = 3'000'000}};
  SessionReplayOptions options;
  options.think_time = ThinkTime{};
  Replay ours(rows, options);
  const Request own = ours.after(ours.next(), at_ms(700));
  EXPECT_EQ(own.slo_class, SloClass::batch);
  EXPECT_EQ(own.deadline, at_ms(2700));  // two seconds after it arrives
  EXPECT_EQ(own.id, 1);

  options.follow_ups_as_recorded = false;
  options.default_timeout = seconds(300);
  Replay blis(rows, options);
  const Request alike = blis.after(blis.next(), at_ms(700));
  EXPECT_EQ(alike.slo_class, SloClass::critical);
  EXPECT_EQ(alike.deadline, at_ms(300'700));
}

TEST(SessionReplay, does_a_session_end_when_a_request_fails) {
  Replay replay({{.session = "s"}, {.id = 1, .session = "s", .round = 1}});
  const Request first = replay.next();
  Request none;
  EXPECT_FALSE(replay.source.follow_up(departure_of(first, at_ms(1), false), &none));
}

TEST(SessionReplay, must_rounds_be_whole) {
  const struct {
    std::vector<Row> rows;
    const char* error;
  } cases[] = {
      {{{.session = "s", .round = 1}}, "the session \"s\" has no round 0"},
      {{{.session = "s"}, {.id = 1, .session = "s", .round = 2}},
       "the session \"s\" has no round 1"},
      {{{.session = "s"}, {.id = 1, .session = "s"}}, "the session \"s\" has round 0 twice"},
  };
  for (const auto& [rows, error] : cases) {
    const Workload workload = workload_of(rows);
    const auto sessions = sessions_of(workload, "t.csv");
    ASSERT_FALSE(sessions) << error;
    EXPECT_NE(format(sessions.error()).find(error), std::string::npos) << format(sessions.error());
  }
}

}  // namespace
}  // namespace plimsoll
