#include "planner/minimum_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plimsoll {
namespace {

// The next numbers; one instance that is idle holds.
std::vector<std::int64_t> next_of(MinimumSearch& search) {
  if (search.asks_idle()) search.tell_idle(Answer::holds);
  return search.next();
}

TEST(MinimumSearch, asks_no_more_where_not_even_one_that_is_idle_holds) {
  MinimumSearch search({3, 1'000});
  for (const std::int64_t n : search.next()) search.tell(n, Answer::fails);
  EXPECT_TRUE(search.asks_idle());
  EXPECT_TRUE(search.next().empty());
  search.tell_idle(Answer::fails);
  EXPECT_TRUE(search.none_holds());
  EXPECT_TRUE(search.next().empty());
}

// An idle one whose few requests decide nothing forbids nothing; but there is an end.
TEST(MinimumSearch, goes_on_where_an_idle_one_is_too_close_to_call) {
  MinimumSearch search({3, 1'000});
  for (const std::int64_t n : search.next()) search.tell(n, Answer::fails);
  search.tell_idle(Answer::unclear);
  std::int64_t highest = 0;
  for (auto numbers = search.next(); !numbers.empty(); numbers = search.next()) {
    highest = numbers.back();
    for (const std::int64_t n : numbers) search.tell(n, Answer::fails);
  }
  EXPECT_EQ(highest, 24);
  EXPECT_FALSE(search.none_holds());
}

// Of 200 req/s, where 23 instances hold and each answers 8.9.
LoadProbe test_of(std::int64_t instances) {
  LoadProbe test;
  test.rate_rps = 200;
  test.instances = static_cast<std::int32_t>(instances);
  test.answer = instances >= 23 ? Answer::holds : Answer::fails;
  test.state.verdict = instances >= 23 ? SteadyVerdict::steady : SteadyVerdict::overloaded;
  test.state.backlog_growth_rps = std::fmax(0, 200 - 8.9 * static_cast<double>(instances));
  return test;
}

TEST(MinimumSearch, asks_next_how_many_would_serve_it_all) {
  MinimumSearch search({16, 100});
  std::vector<std::int64_t> asked;
  for (auto numbers = search.next(); !numbers.empty(); numbers = search.next()) {
    for (const std::int64_t n : numbers) {
      search.tell(test_of(n));
      asked.push_back(n);
    }
  }
  EXPECT_EQ(asked, (std::vector<std::int64_t>{16, 23, 19, 22}));
  EXPECT_EQ(search.good(), 23);
  EXPECT_EQ(search.bad(), 22);
}

TEST(MinimumSearch, asks_no_more_where_the_router_leaves_more_idle) {
  MinimumSearch search({2, 10'000});
  const auto told = [&](std::int64_t instances, Because<Remedy> lever) {
    LoadProbe test = test_of(2);  // serves so much, however many there are
    test.instances = static_cast<std::int32_t>(instances);
    test.summary.bottleneck.lever = lever;
    search.tell(test);
  };
  search.tell_idle(Answer::holds);
  told(2, {});
  told(4, {});
  EXPECT_FALSE(search.next().empty()) << "nothing says that some are idle";
  told(8, {Remedy::spread_requests, 8, 0, 0.5});
  EXPECT_FALSE(search.next().empty()) << "there is no smaller one to compare with";
  told(16, {Remedy::spread_requests, 16, 0, 0.5});
  EXPECT_TRUE(search.next().empty());
  EXPECT_TRUE(search.none_holds());
}

// Two prompts that share an instance at first, each with its own later: they serve twice as much
// once, and no more after that.
TEST(MinimumSearch, compares_with_all_whose_router_left_some_idle) {
  MinimumSearch search({2, 10'000});
  search.tell_idle(Answer::holds);
  std::int64_t highest = 0;
  for (auto numbers = search.next(); !numbers.empty(); numbers = search.next()) {
    for (const std::int64_t n : numbers) {
      LoadProbe test = test_of(n < 12 ? 5 : 20);
      test.instances = static_cast<std::int32_t>(n);
      test.summary.bottleneck.lever = {Remedy::spread_requests, n, 0, 0.5};
      search.tell(test);
      highest = n;
    }
  }
  EXPECT_TRUE(search.none_holds());
  EXPECT_LT(highest, 100);
}

TEST(MinimumSearch, finds_the_fewest_that_hold) {
  for (std::int64_t limit = 1; limit < 60; ++limit) {
    for (const std::int64_t guess : {1, 7, 20, 59}) {
      MinimumSearch search({guess, 100});
      int asked = 0;
      for (auto numbers = next_of(search); !numbers.empty(); numbers = next_of(search)) {
        for (const std::int64_t n : numbers) {
          search.tell(n, n >= limit ? Answer::holds : Answer::fails);
          ++asked;
        }
        ASSERT_LT(asked, 40);
      }
      EXPECT_EQ(search.good(), limit);
      EXPECT_EQ(search.bad(), limit - 1);
    }
  }
}

// Routing that happens to spread shared prompts better over fewer.
TEST(MinimumSearch, finds_fewer_that_hold_where_prompts_are_found_in_caches) {
  for (const std::int64_t guess : {1, 4, 6, 7, 11, 30}) {
    MinimumSearch search({guess, 40});
    for (auto numbers = next_of(search); !numbers.empty(); numbers = next_of(search)) {
      for (const std::int64_t n : numbers) {
        LoadProbe test;
        test.instances = static_cast<std::int32_t>(n);
        test.answer = n == 5 || n >= 9 ? Answer::holds : Answer::fails;
        test.summary.cluster.cache_hit_rate = 0.4;
        search.tell(test);
      }
    }
    EXPECT_EQ(search.good(), 5) << guess;
    EXPECT_EQ(search.bad(), 4) << guess;
    EXPECT_EQ(search.least_possible(), 5) << guess;
  }
}

TEST(MinimumSearch, takes_nothing_that_is_unclear) {
  MinimumSearch search({10, 100});
  for (auto numbers = next_of(search); !numbers.empty(); numbers = next_of(search)) {
    for (const std::int64_t n : numbers) {
      search.tell(n, n >= 12 ? Answer::holds : n >= 9 ? Answer::unclear : Answer::fails);
    }
  }
  EXPECT_EQ(search.good(), 12);
  EXPECT_LT(search.bad(), 9);
  EXPECT_GT(search.bad(), 5);
}

// One instance more or less of hundreds is little, and what is unclear is not asked one by one.
TEST(MinimumSearch, asks_few_of_many_where_some_stay_unclear) {
  MinimumSearch search({400, 100'000});
  int asked = 0;
  for (auto numbers = next_of(search); !numbers.empty(); numbers = next_of(search)) {
    for (const std::int64_t n : numbers) {
      search.tell(n, n >= 433 ? Answer::holds : n >= 405 ? Answer::unclear : Answer::fails);
      ++asked;
    }
  }
  EXPECT_EQ(search.good(), 433);
  EXPECT_LT(asked, 20);
}

TEST(MinimumSearch, asks_nothing_below_the_least) {
  MinimumSearch search({3, 3, 3});
  EXPECT_EQ(search.next(), std::vector<std::int64_t>{3});
  search.tell(3, Answer::holds);
  EXPECT_EQ(search.good(), 3);
  EXPECT_EQ(search.bad(), 0);
  EXPECT_TRUE(search.next().empty());
}

TEST(MinimumSearch, says_where_none_of_all_holds) {
  MinimumSearch search({3, 20});
  for (auto numbers = next_of(search); !numbers.empty(); numbers = next_of(search)) {
    for (const std::int64_t n : numbers) search.tell(n, Answer::fails);
  }
  EXPECT_EQ(search.good(), 0);
  EXPECT_EQ(search.bad(), 20);
}

}  // namespace
}  // namespace plimsoll
