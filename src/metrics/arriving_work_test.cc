// How many instances would be busy with all that arrives?
#include "metrics/arrival_counts.h"

#include <gtest/gtest.h>

#include "workload/request.h"

namespace plimsoll {
namespace {

Request request(std::int32_t input, std::int32_t output) {
  Request r;
  r.input_tokens = input;
  r.output_tokens = output;
  return r;
}

// 100 requests of 1,000 and 101 tokens, of which an instance computed 50,000 tokens of prompts in
// 5 s and 2,000 of answers in 200 steps of 20 ms; a step of one request takes 11.
RunRecord record_of(Outcome outcome) {
  RunRecord record;
  for (int i = 0; i < 100; ++i) record.requests.add(request(1000, 101));
  for (Outcome& one : record.requests.outcome) one = outcome;
  InstanceRecord instance;
  instance.prefill_tokens = 50'000;
  instance.prefill_work = duration_from_us(5e6);
  instance.decode_tokens = 2'000;
  instance.steps = 200;
  instance.busy = duration_from_us(9e6);
  instance.lone_decode_step = duration_from_us(11e3);
  instance.max_num_seqs = 100;
  record.instances.push_back(instance);
  return record;
}

TEST(ArrivingWork, is_what_steps_take_times_what_comes) {
  const ArrivingWork work = arriving_work(record_of(Outcome::completed), 20);
  EXPECT_NEAR(work.prompts, 20 * 0.1, 1e-9);
  EXPECT_NEAR(work.answers, 20 * 100 * 0.002, 1e-9);
}

TEST(ArrivingWork, leaves_out_what_caches_had) {
  RunRecord record = record_of(Outcome::completed);
  for (std::size_t row = 0; row < 50; ++row) {
    record.requests.scheduling_delay[row] = Duration{};
    record.requests.cached_tokens.set(row, 400, 100);
  }
  EXPECT_NEAR(arriving_work(record, 20).prompts, 20 * 0.06, 1e-9);
}

TEST(ArrivingWork, is_that_of_full_batches_where_requests_give_up) {
  const ArrivingWork work = arriving_work(record_of(Outcome::timed_out), 20);
  EXPECT_NEAR(work.answers, 20 * 100 * (0.001 * 99 + 0.011) / 100, 1e-9);
}

TEST(ArrivingWork, is_nothing_of_what_nobody_serves) {
  EXPECT_EQ(arriving_work(record_of(Outcome::dropped), 20).all(), 0);
  EXPECT_EQ(arriving_work(RunRecord{}, 0).all(), 0);
}

TEST(ShareTooSlowAlone, is_of_answers_longer_than_the_slowest_that_came) {
  RunRecord record = record_of(Outcome::completed);
  for (Duration& e2e : record.requests.e2e) e2e = duration_from_us(2e6);
  record.requests.output_tokens[7] = 301;
  EXPECT_DOUBLE_EQ(share_too_slow_alone(record, 0.011), 0.01);
  EXPECT_DOUBLE_EQ(share_too_slow_alone(record, 0.030), 1);
}

TEST(ShareTooSlowAlone, goes_by_first_tokens_where_no_answer_came_in_time) {
  RunRecord record = record_of(Outcome::timed_out);
  EXPECT_EQ(share_too_slow_alone(record, 0.011), 0);
  record.requests.ttft[0] = duration_from_us(2e6);
  EXPECT_EQ(share_too_slow_alone(record, 0.011), 0);
  EXPECT_EQ(share_too_slow_alone(record, 0.021), 1);
}

}  // namespace
}  // namespace plimsoll
