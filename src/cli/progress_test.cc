#include "cli/progress.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(TimeLeft, is_told_once_something_is_done_and_until_the_rest_takes_longer) {
  TimeLeft left;
  EXPECT_EQ(left.text(7), "");
  left.set_done(0.25, 10);
  EXPECT_EQ(left.text(10), ", about 30 s left");
  EXPECT_EQ(left.text(25, "at most"), ", at most 15 s left");
  EXPECT_EQ(left.text(41), "");
  left.set_done(0, 50);
  EXPECT_EQ(left.text(50), "");
}

}  // namespace
}  // namespace plimsoll
