#include "metrics/over_time.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// 101 requests whose first tokens take 0, 1 ... 100 ms; none is completed.
RequestTable slower_and_slower() {
  RequestTable table;
  for (int i = 0; i <= 100; ++i) {
    table.add(Request());
    table.ttft.back() = milliseconds(i);
  }
  return table;
}

TEST(LatencyCurves, are_percentiles_of_the_latencies_that_there_are) {
  const auto curves = latency_curves(slower_and_slower(), metric_definitions().front(), 0);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].name, "TTFT");
  ASSERT_EQ(curves[0].ms.size(), 99U);
  EXPECT_DOUBLE_EQ(curves[0].at(1), 1);
  EXPECT_DOUBLE_EQ(curves[0].at(50), 50);
  EXPECT_DOUBLE_EQ(curves[0].at(99), 99);
}

TEST(LatencyCurves, leave_out_the_rows_before_the_first) {
  const auto curves = latency_curves(slower_and_slower(), metric_definitions().front(), 100);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_DOUBLE_EQ(curves[0].at(1), 100);
}

TEST(LatencyCurves, are_none_of_no_requests) {
  EXPECT_TRUE(latency_curves({}, metric_definitions().front(), 0).empty());
}

}  // namespace
}  // namespace plimsoll
