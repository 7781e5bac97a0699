// Is it said before the first test that tests are long?
#include "report/capacity/capacity.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

ProbeEffort effort(std::int64_t first, std::int64_t most) {
  ProbeEffort of;
  of.first_requests = first;
  of.most_requests = most;
  return of;
}

TEST(CapacityNote, is_it_said_at_once_that_tests_are_long) {
  EXPECT_EQ(note_on_length(16, 102'400, effort(102'400, 400'000)), "");
  EXPECT_EQ(note_on_length(240, 1'536'000, effort(1'536'000, 3'072'000)),
            "240 instances take about 1,536,000 requests to settle: each of about 20 tests has "
            "1,536,000 to 3,072,000 requests, at a few seconds per million (--most-requests says "
            "how many at most)");
}

TEST(CapacityNote, is_nothing_said_where_a_share_of_the_instances_is_simulated) {
  ProbeEffort of = effort(2'534'400, 5'068'800);
  of.share = 0.16;
  EXPECT_EQ(note_on_length(396, 2'534'400, of), "");
}

TEST(CapacityNote, is_it_said_at_once_that_no_test_is_long_enough) {
  EXPECT_EQ(note_on_length(1'000, 6'400'000, effort(2'000'000, 4'000'000)),
            "1,000 instances take about 6,400,000 requests to settle, and a test has 4,000,000 at "
            "most: the answer may stay open (--most-requests allows more)");
}

}  // namespace
}  // namespace plimsoll
