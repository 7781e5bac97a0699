// Does the table of figures name each of them once, and find each by its name?
#include "metrics/figures.h"

#include <gtest/gtest.h>

#include <set>

namespace plimsoll {
namespace {

TEST(Figures, have_a_key_each_and_are_found_by_it) {
  std::set<std::string> seen;
  for (const GroupFigure& row : kGroupFigures) {
    EXPECT_EQ(&row_of(row.member), &row) << row.key;  // no member has two rows
    for (const std::string& key : keys_of(row)) {
      EXPECT_TRUE(seen.insert(key).second) << key;
      EXPECT_EQ(find_figure(key).key(), key);
    }
  }
  EXPECT_EQ(find_figure("ttft_p97_ms").row, nullptr);
  EXPECT_EQ(find_figure("ttft").row, nullptr);
}

TEST(Figures, read_the_member_of_their_row) {
  GroupSummary group;
  EXPECT_FALSE(figure("ttft_p99_ms").is_measured(group));
  EXPECT_EQ(figure("mfu").of(group), 0);
  group.ttft.p99_ms = 7;
  group.completed = 3;
  group.efficiency = Efficiency{.mfu = 0.5};
  EXPECT_TRUE(figure("ttft_p99_ms").is_measured(group));
  EXPECT_EQ(figure("ttft_p99_ms").of(group), 7);
  EXPECT_EQ(figure("ttft_p99_ms").title(), "TTFT p99");
  EXPECT_EQ(figure("completed_requests").of(group), 3);
  EXPECT_EQ(figure("mfu").of(group), 0.5);
}

TEST(Figures, are_called_by_statistic_and_metric_in_either_order) {
  for (const char* name : {"ttft_p99", "p99_ttft", "ttft_p99_ms", "p99_ttft_ms"})
    EXPECT_EQ(usual_name(name), "ttft_p99") << name;
  EXPECT_EQ(usual_name("mean_queue_time_ms"), "queue_time_mean");
  for (const char* name : {"", "p", "p99", "_", "responses_per_sec", "peak_ttft", "ttft"})
    EXPECT_EQ(usual_name(name), name) << name;
}

}  // namespace
}  // namespace plimsoll
