#include "metrics/warmup.h"

#include <gtest/gtest.h>

#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

TEST(SessionRamp, lasts_until_nearly_all_rounds_of_conversations_are_under_way) {
  RunRecord record;
  for (int at = 0; at < 20; ++at) add_row(&record, {.arrival = 1.0 * at, .session = at});
  EXPECT_EQ(filling_of(record.requests), Duration{});
  for (int at = 0; at < 20; ++at) add_row(&record, {.arrival = 1000.0 + at, .session = at});
  EXPECT_EQ(filling_of(record.requests), seconds(1));
}

TEST(SessionRamp, is_none_without_conversations) {
  RunRecord record;
  for (int at = 0; at < 20; ++at) add_row(&record, {.arrival = 1.0 * at});
  EXPECT_EQ(filling_of(record.requests), Duration{});
}

}  // namespace
}  // namespace plimsoll
