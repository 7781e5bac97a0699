#include "stats/steady_state.h"

#include <gtest/gtest.h>

#include "known_queue.h"

namespace plimsoll {
namespace {

using test::QueueRun;

TEST(WorkInSystem, is_the_time_average_in_each_cell) {
  QueueRun run;
  run.add(0, 0, 5);
  run.add(1, 0, 100);
  run.add(10, 0, 1);
  EXPECT_EQ(work_in_system(run.observed(), 5), (std::vector<double>{1.5, 2, 1.5, 1, 1}));
}

TEST(WorkInSystem, is_the_time_of_all_that_are_inside_by_parts_of_the_span) {
  QueueRun run;  // 10 s, four parts of 2.5 s
  run.add(0, 0, 4);
  run.add(1, 1, 3);
  run.add(3, 0, 100);
  run.add(10, 0, 1);
  const std::vector<double> work = work_in_system(run.observed(), 4);
  ASSERT_EQ(work.size(), 4U);
  EXPECT_DOUBLE_EQ(work[0], (2.5 + 1.5) / 2.5);
  EXPECT_DOUBLE_EQ(work[1], (1.5 + 2.5 + 2) / 2.5);
  EXPECT_DOUBLE_EQ(work[2], 1);
  EXPECT_DOUBLE_EQ(work[3], 1);
}

}  // namespace
}  // namespace plimsoll
