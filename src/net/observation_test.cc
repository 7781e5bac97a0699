#include "net/observation.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"

namespace plimsoll {
namespace {

Time after_ms(std::int64_t ms) { return Time{} + milliseconds(ms); }

// Planned at `arrival`, sent `late` ms after it, first token 50 ms and the last 250 ms after that.
void add_answered(Observation* o, std::int64_t arrival, std::int64_t late) {
  Request& request = o->requests.emplace_back();
  request.id = std::ssize(o->requests) - 1;
  request.arrival = after_ms(arrival);
  request.input_tokens = 100;
  request.output_tokens = 12;
  ObservedAnswer& answer = o->answers.emplace_back();
  answer.status = AnswerStatus::ok;
  answer.sent = after_ms(arrival + late);
  answer.first_token = after_ms(arrival + late + 50);
  answer.last_token = after_ms(arrival + late + 250);
  answer.chunks = 5;
  answer.prompt_tokens = 103;
  answer.output_tokens = 11;
  o->end = std::max(o->end, answer.last_token);
}

void add_failed(Observation* o, std::int64_t arrival, AnswerStatus status, std::string reason,
                std::string detail = {}) {
  add_answered(o, arrival, 0);
  o->answers.back() = {};
  o->answers.back().status = status;
  o->answers.back().sent = after_ms(arrival);
  o->answers.back().problem = {std::move(reason), std::move(detail)};
}

TEST(Observation, counts_latencies_from_the_plan_and_tokens_as_the_server_does) {
  Observation o;
  add_answered(&o, 1000, 0);
  add_answered(&o, 2000, 30);
  const Summary summary = summarize(run_record_of(o));
  EXPECT_DOUBLE_EQ(summary.cluster.ttft.mean_ms, 65);
  EXPECT_DOUBLE_EQ(summary.cluster.e2e.mean_ms, 265);
  EXPECT_DOUBLE_EQ(summary.cluster.tpot.mean_ms, 20);  // 200 ms over 10 gaps, not 4
  EXPECT_EQ(summary.cluster.total_output_tokens, 22);
  EXPECT_EQ(summary.cluster.total_input_tokens, 206);
  const ObservationFigures figures = figures_of(o);
  EXPECT_DOUBLE_EQ(figures.tokens_per_chunk, 2.2);
  EXPECT_DOUBLE_EQ(figures.prompt.had, 103);
  EXPECT_DOUBLE_EQ(figures.output.asked, 12);
}

TEST(Observation, keeps_failures_apart_from_what_was_answered) {
  Observation o;
  add_answered(&o, 0, 0);
  add_failed(&o, 10, AnswerStatus::error, "HTTP 429");
  add_failed(&o, 20, AnswerStatus::error, "HTTP 429", "too many");
  add_failed(&o, 30, AnswerStatus::timeout, "timed out");
  add_failed(&o, 40, AnswerStatus::incomplete, "");
  const Summary summary = summarize(run_record_of(o));
  EXPECT_EQ(summary.cluster.completed, 1);
  EXPECT_EQ(summary.cluster.timed_out, 1);
  EXPECT_EQ(summary.cluster.still_running, 1);
  EXPECT_EQ(summary.rejected_admission, 2);
  EXPECT_EQ(summary.arrived, 5);
  const ObservationFigures figures = figures_of(o);
  EXPECT_EQ(figures.answered, 1);
  EXPECT_EQ(figures.given_up, 1);
  ASSERT_EQ(figures.failures.size(), 2u);
  EXPECT_EQ(figures.failures[0].reason, "HTTP 429");
  EXPECT_EQ(figures.failures[0].requests, 2);
  EXPECT_EQ(figures.failures[0].example, "too many");
}

TEST(Observation, says_when_the_generator_itself_was_late) {
  Observation punctual;
  Observation late;
  for (int i = 0; i < 100; ++i) {
    add_answered(&punctual, 100 * i, i == 50 ? 1 : 0);
    add_answered(&late, 100 * i, i % 10 == 0 ? 40 : 0);
  }
  EXPECT_FALSE(figures_of(punctual).generator_was_late);
  EXPECT_DOUBLE_EQ(figures_of(punctual).latest_ms, 1);
  EXPECT_TRUE(figures_of(late).generator_was_late);
}

TEST(Observation, that_is_empty_has_no_figures) {
  const ObservationFigures figures = figures_of(Observation());
  EXPECT_EQ(figures.sent, 0);
  EXPECT_FALSE(figures.generator_was_late);
  EXPECT_EQ(summarize(run_record_of(Observation())).arrived, 0);
}

}  // namespace
}  // namespace plimsoll
