#include "calibration/experiment.h"

#include <set>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Cells, part_requests_by_prompt_and_by_load) {
  std::vector<Seen> requests;
  for (int i = 0; i < 600; ++i) {
    const double begin = i;
    requests.push_back({begin, begin, begin + (i % 2 == 0 ? 100 : 1), i % 3 == 0 ? 1000 : 10});
  }
  const std::vector<std::int64_t> cells = cells_of(requests, Measure::ttft);
  std::set<std::int64_t> long_ones;
  std::set<std::int64_t> short_ones;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    (requests[i].prompt_tokens > 500 ? long_ones : short_ones).insert(cells[i]);
  }
  // They meet in one stretch of the order at most.
  std::size_t shared = 0;
  for (const std::int64_t cell : long_ones) shared += short_ones.count(cell);
  EXPECT_LE(shared, 5u);
  EXPECT_GT(long_ones.size() + short_ones.size(), 20u);
}

TEST(Cells, part_decoding_requests_by_the_prompts_of_others) {
  std::vector<Seen> requests;
  for (int i = 0; i < 600; ++i) {
    const double begin = i;
    // The second half meets a hundred times as many prompt tokens.
    requests.push_back({begin, begin, begin + 10, i < 300 ? 10 : 1000});
  }
  const std::vector<std::int64_t> cells = cells_of(requests, Measure::tpot);
  EXPECT_EQ(std::set<std::int64_t>(cells.begin(), cells.begin() + 280).count(cells[500]), 0u);
}

TEST(Cells, count_who_is_under_way) {
  const std::vector<double> load =
      under_way({{0, 0, 10, 1}, {1, 1, 2, 1}, {3, 3, 9, 1}, {20, 20, 30, 1}});
  EXPECT_EQ(load, (std::vector<double>{0, 1, 1, 0}));
}

TEST(Cells, of_few_requests_are_one) {
  EXPECT_EQ(cells_of({{0, 0, 1, 5}, {1, 1, 2, 9}}, Measure::tpot),
            (std::vector<std::int64_t>{0, 0}));
  EXPECT_TRUE(cells_of({}, Measure::ttft).empty());
}

TEST(Blocks, are_stretches_of_time) {
  EXPECT_EQ(block_of(0, 3), 0);
  EXPECT_EQ(block_of(2, 3), 2);
  EXPECT_EQ(block_of(599, 600), 29);
  EXPECT_EQ(block_of(19, 600), 0);
  EXPECT_EQ(block_of(20, 600), 1);
}

}  // namespace
}  // namespace plimsoll
