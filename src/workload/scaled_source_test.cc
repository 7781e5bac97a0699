#include <gtest/gtest.h>

#include "workload/workload.h"

namespace plimsoll {
namespace {

TEST(ScaledSource, moves_arrivals_and_keeps_lengths_and_patience) {
  Workload workload;
  workload.id = {0, 1};
  workload.arrival = {Time{1'000}, Time{3'000}};
  workload.input_tokens = {10, 20};
  workload.output_tokens = {1, 2};
  workload.deadline = {Time{1'500}, kNever};
  ScaledSource twice_as_fast(std::make_unique<WorkloadSource>(workload), 0.5);
  Request request;
  ASSERT_TRUE(twice_as_fast.next(&request));
  EXPECT_EQ(request.arrival, Time{500});
  EXPECT_EQ(request.deadline, Time{1'000});
  EXPECT_EQ(request.input_tokens, 10);
  ASSERT_TRUE(twice_as_fast.next(&request));
  EXPECT_EQ(request.arrival, Time{1'500});
  EXPECT_EQ(request.deadline, kNever);
  EXPECT_FALSE(twice_as_fast.next(&request));
}

}  // namespace
}  // namespace plimsoll
