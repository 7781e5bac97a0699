#include "forecast/history/history.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// `burst` requests together every `burst` seconds, of 100 and 300 tokens in turn.
Workload in_bursts(int burst, int requests) {
  Workload trace;
  for (int i = 0; i < requests; ++i) {
    trace.arrival.push_back(Time{} + seconds(i / burst * burst));
    trace.input_tokens.push_back(i % 2 == 0 ? 100 : 300);
    trace.output_tokens.push_back(20);
  }
  return trace;
}

TEST(TrafficShape, is_what_varies_told) {
  const TrafficShape shape = shape_of(in_bursts(1, 10'000), seconds(100));
  EXPECT_NEAR(*shape.prompt_cv, 0.5, 1e-3);
  EXPECT_NEAR(*shape.output_cv, 0, 1e-9);
  EXPECT_LE(*shape.arrival_cv, 0.05);  // ten in each tenth of a step
}

TEST(TrafficShape, are_bursts_counted_and_rounded_times_not) {
  // Bursts of 20 every 20 s in cells of 10 s: 20, 0, 20, 0: variance 111, mean 10.
  EXPECT_NEAR(*shape_of(in_bursts(20, 10'000), seconds(100)).arrival_cv, std::sqrt(11.1), 0.05);
  // Times in whole 5 s are no bursts where cells have 10 s.
  EXPECT_LE(*shape_of(in_bursts(5, 10'000), seconds(100)).arrival_cv, 0.05);
}

TEST(TrafficShape, is_a_change_from_step_to_step_no_burst) {
  Workload trace = in_bursts(1, 5'000);
  for (std::size_t i = 0; i < trace.size(); ++i) {  // ten times as many in the second half
    const double t = static_cast<double>(i);
    const double at = t < 500 ? 10 * t : 5'000 + (t - 500) * 1.1;
    trace.arrival[i] = Time{} + duration_from_us(at * 1e6);
  }
  EXPECT_LT(*shape_of(trace, seconds(100)).arrival_cv, 0.5);
}

TEST(TrafficShape, does_a_short_trace_tell_nothing) {
  const TrafficShape shape = shape_of(in_bursts(1, 99), seconds(10));
  EXPECT_FALSE(shape.prompt_cv || shape.output_cv || shape.arrival_cv);
  EXPECT_FALSE(shape_of(in_bursts(1, 10'000), seconds(9)).arrival_cv);  // nine in a step
}

}  // namespace
}  // namespace plimsoll
