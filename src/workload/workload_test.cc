#include "workload/workload.h"

#include <set>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Workload three_requests() {
  Workload w;
  w.id = {10, 11, 12};
  w.arrival = {{30}, {10}, {10}};
  w.input_tokens = {3, 1, 2};
  w.output_tokens = {33, 11, 22};
  return w;
}

TEST(Workload, do_all_columns_follow_the_sort_and_equal_times_keep_their_order) {
  Workload w = three_requests();
  w.max_output_tokens = {30, 10, 20};
  w.deadline = {{300}, {100}, {200}};
  w.slo_class = {SloClass::batch, SloClass::critical, SloClass::sheddable};
  w.other_model = {1, 0, 0};
  w.prefix_segments = {{7, 3}, {8, 1}};
  w.prefix_begin = {0, 1, 0};
  w.prefix_count = {1, 1, 0};
  w.sort_by_arrival();

  WorkloadSource source(w);
  Request r;
  ASSERT_TRUE(source.next(&r));
  EXPECT_EQ(r.id, 11);
  EXPECT_EQ(r.arrival.ns, 10);
  EXPECT_EQ(r.input_tokens, 1);
  EXPECT_EQ(r.output_tokens, 11);
  EXPECT_EQ(r.max_output_tokens, 10);
  EXPECT_EQ(r.deadline.ns, 100);
  EXPECT_EQ(r.slo_class, SloClass::critical);
  EXPECT_FALSE(r.other_model);
  ASSERT_EQ(r.prefix.size(), 1u);
  EXPECT_EQ(r.prefix[0].content, 8u);
  ASSERT_TRUE(source.next(&r));
  EXPECT_EQ(r.id, 12);
  EXPECT_TRUE(r.prefix.empty());
  ASSERT_TRUE(source.next(&r));
  EXPECT_EQ(r.id, 10);
  EXPECT_TRUE(r.other_model);
  EXPECT_EQ(r.prefix[0].content, 7u);
  EXPECT_FALSE(source.next(&r));
}

TEST(Workload, do_absent_columns_mean_no_budget_no_deadline_no_class) {
  const Workload w = three_requests();
  WorkloadSource source(w);
  Request r;
  r.max_output_tokens = 5;
  r.other_model = true;
  ASSERT_TRUE(source.next(&r));
  EXPECT_EQ(r.max_output_tokens, 0);
  EXPECT_EQ(r.deadline, kNever);
  EXPECT_EQ(r.slo_class, SloClass::unset);
  EXPECT_FALSE(r.other_model);
  EXPECT_TRUE(r.prefix.empty());
}

TEST(Workload, are_content_ids_all_different) {
  std::set<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ids.insert(unique_content(i));
    ids.insert(shared_content(i));
  }
  EXPECT_EQ(ids.size(), 20'000u);
}

}  // namespace
}  // namespace plimsoll
