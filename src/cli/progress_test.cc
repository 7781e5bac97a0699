#include "cli/progress.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(TimeLeft, is_told_once_something_is_done_and_never_rises) {
  TimeLeft left;
  EXPECT_EQ(left.at(7, 0), std::nullopt);
  EXPECT_EQ(left.at(10, 0.25), 30);
  EXPECT_EQ(left.at(25, 0.25), 15);
  EXPECT_EQ(left.at(30, 0.5), std::nullopt);  // 30 s: more than was told
  EXPECT_EQ(left.at(46, 0.5), 14);
  EXPECT_EQ(left.at(61, 0.5), std::nullopt);
}

TEST(TimeLeft, never_rises_however_the_work_goes) {
  TimeLeft left;
  double told = 1e9;
  double share = 0;
  for (int step = 1; step < 400; ++step) {
    share += (1 - share) * ((step * 37) % 11) / 400.0;
    const auto now = left.at(0.2 * step, share);
    if (!now) continue;
    EXPECT_LE(*now, told);
    told = *now;
  }
  EXPECT_LT(told, 1e9);
}

TEST(ProgressText, has_bar_and_estimate_where_they_are_known) {
  EXPECT_EQ(
      progress_text({"simulating", 0.42, "420 of 1,000 requests"}, 12, 16.4),
      "simulating [########------------]  42 %, 12 s, about 16 s left; 420 of 1,000 requests");
  EXPECT_EQ(progress_text({"testing", {}, ""}, 3, {}), "testing, 3 s");
}

TEST(ProgressText, tells_no_time_where_shares_differ) {
  EXPECT_EQ(progress_text({"trying scenarios", 0.5, "3 tests"}, 4, {}),
            "trying scenarios [##########----------]  50 %, 4 s; 3 tests");
}

TEST(ProgressJson, has_numbers_and_null_where_nobody_knows) {
  WorkSoFar work;
  work.phase = "planning";
  work.done = 3;
  work.figures["tests"] = 12;
  const Json told = progress_json(work, 1.5, {});
  EXPECT_EQ(told["progress"].as_string(), "planning, 2 s");
  EXPECT_EQ(told["phase"].as_string(), "planning");
  EXPECT_EQ(told["elapsed_s"].as_double(), 1.5);
  EXPECT_EQ(told["done"].as_integer(), 3);
  EXPECT_EQ(told["tests"].as_integer(), 12);
  for (const char* unknown : {"of", "share", "left_s"}) EXPECT_TRUE(told[unknown].is_null());
}

}  // namespace
}  // namespace plimsoll
