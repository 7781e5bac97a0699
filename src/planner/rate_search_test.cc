#include "planner/rate_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "known_system.h"

namespace plimsoll {
namespace {

/// A system that holds up to `limit`, and of which nobody can tell within `blur` of it.
Answer ask(double rate, double limit, double blur) {
  if (rate > limit * (1 + blur)) return Answer::fails;
  return rate <= limit / (1 + blur) ? Answer::holds : Answer::unclear;
}

struct Found {
  double good = 0;
  double bad = 0;
  int asked = 0;
};

Found find(double guess, double limit, double blur, double precision = 0.01) {
  RateSearch search({guess, precision, guess * 1e-4});
  Found found;
  for (auto rates = search.next(); !rates.empty(); rates = search.next()) {
    for (const double rate : rates) search.tell(rate, ask(rate, limit, blur));
    found.asked += static_cast<int>(rates.size());
    if (found.asked > 100) ADD_FAILURE() << "does not end";
    if (found.asked > 100) break;
  }
  found.good = search.good();
  found.bad = search.bad();
  return found;
}

TEST(RateSearch, ends_with_the_limit_between_good_and_bad) {
  for (double limit = 0.02; limit < 500; limit *= 1.37) {
    const Found found = find(3, limit, 0);
    EXPECT_LE(found.good, limit);
    EXPECT_GT(found.bad, limit);
    EXPECT_LE(found.bad, found.good * 1.0101) << limit;
    EXPECT_LE(found.asked, 30) << limit;
  }
}

TEST(RateSearch, asks_little_where_the_guess_is_good) {
  EXPECT_LE(find(100, 97, 0).asked, 8);
  EXPECT_LE(find(100, 104, 0).asked, 8);
}

TEST(RateSearch, ends_at_the_same_rates_wherever_it_begins) {
  for (double limit = 0.02; limit < 5000; limit *= 1.37) {
    const Found found = find(limit, limit, 0);
    for (const double off : {0.2, 0.61, 0.97, 1.003, 1.08, 4.7}) {
      const Found other = find(off * limit, limit, 0);
      EXPECT_EQ(other.good, found.good) << limit;
      EXPECT_EQ(other.bad, found.bad) << limit;
    }
  }
}

TEST(RateSearch, leaves_what_stays_unclear_between_good_and_bad) {
  const Found found = find(100, 95, 0.03);
  EXPECT_NEAR(found.good, 95 / 1.03, 1);
  EXPECT_NEAR(found.bad, 95 * 1.03, 1);
  EXPECT_LE(found.asked, 16);
}

// As where all the traffic there is comes at once, and is too little to tell.
TEST(RateSearch, ends_where_no_rate_ever_fails) {
  RateSearch search({100, 0.01, 0.1});
  int asked = 0;
  for (auto rates = search.next(); !rates.empty(); rates = search.next()) {
    for (const double rate : rates) {
      ASSERT_TRUE(std::isfinite(rate));
      search.tell(rate, rate <= 90 ? Answer::holds : Answer::unclear);
      ASSERT_LT(++asked, 60);
    }
  }
  EXPECT_GE(search.good(), 89);
  EXPECT_TRUE(std::isinf(search.bad()));
}

TEST(RateSearch, finds_nothing_where_nothing_holds) {
  const Found found = find(100, 1e-9, 0);
  EXPECT_EQ(found.good, 0);
  EXPECT_LE(found.asked, 30);
}

TEST(RateSearch, asks_no_further_than_it_may) {
  RateSearch search({10, 0.01, 0.01, 50});
  for (auto rates = search.next(); !rates.empty(); rates = search.next()) {
    for (const double rate : rates) {
      ASSERT_LE(rate, 50);
      search.tell(rate, Answer::holds);
    }
  }
  EXPECT_EQ(search.good(), 50);
}

TEST(RateSearch, goes_on_below_what_is_not_confirmed) {
  RateSearchOptions options{10, 0.01, 0.01};
  options.confirms = true;
  RateSearch search(options);
  int refuted = 0;
  for (int asked = 0; asked < 60; ++asked) {
    for (const double rate : search.next()) search.tell(rate, ask(rate, 12, 0));
    const auto good = search.unconfirmed();
    if (search.next().empty() && !good) break;
    if (!good) continue;
    EXPECT_EQ(*good, search.good());
    search.confirm(*good, *good <= 11.5 ? Answer::holds : Answer::unclear);
    refuted += *good > 11.5 ? 1 : 0;
  }
  EXPECT_GT(refuted, 0);
  EXPECT_FALSE(search.unconfirmed());
  EXPECT_LE(search.good(), 11.5);
  EXPECT_GT(search.good(), 11.5 * 0.98);
  EXPECT_GT(search.bad(), 12);
  EXPECT_LE(search.bad(), 12 * 1.011);
}

TEST(RateSearch, does_not_ask_again_what_was_known_before) {
  RateSearchOptions options{10, 0.05, 10};
  options.known_good = 10;
  options.confirms = true;
  RateSearch search(options);
  for (auto rates = search.next(); !rates.empty(); rates = search.next()) {
    for (const double rate : rates) search.tell(rate, Answer::fails);
  }
  EXPECT_EQ(search.good(), 10);
  EXPECT_FALSE(search.unconfirmed());
}

// What is served, and how a test ends that finds the queue growing or not.
LoadProbe test_at(double rate, double limit, double served) {
  LoadProbe test;
  test.rate_rps = rate;
  test.answer = ask(rate, limit, 0);
  if (test.answer == Answer::fails && rate > 1.02 * served) {
    test.state.verdict = SteadyVerdict::overloaded;
    test.state.backlog_growth_rps = rate - served;
  }
  return test;
}

TEST(RateSearch, looks_for_the_limit_next_to_what_was_served) {
  for (const double share : {0.1, 0.7, 0.9, 0.95, 0.97, 0.985, 0.99, 0.995, 0.9999, 1.0, 1.003}) {
    for (const double precision : {0.01, 0.02, 0.05}) {
      for (double served = 3; served < 500; served *= 1.7) {
        RateSearch search({100, precision, 1e-3});
        std::size_t asked = 0;
        for (auto rates = search.next(); !rates.empty(); rates = search.next()) {
          for (const double rate : rates) search.tell(test_at(rate, share * served, served));
          asked += rates.size();
          ASSERT_LE(asked, 25U) << share << " of " << served;
        }
        EXPECT_LE(search.good(), share * served);
        EXPECT_GT(search.bad(), share * served);
        EXPECT_LE(search.bad(), search.good() * (1.0001 + precision)) << share << " of " << served;
        const bool is_near = served > 60 && served < 150 && share >= 0.97 && share <= 1;
        if (is_near) {
          EXPECT_LE(asked, 7U) << share << " of " << served << " to " << precision;
        }
      }
    }
  }
}

TEST(LongerSteps, make_limits_on_a_first_token_stricter_by_what_it_waits_for_beside_them) {
  ProbedSystem system = test::single_servers("ttft_p99<500ms,ttft_mean<500ms,e2e_mean<5s");
  system.model_error = ModelError{Regime::measured, 0.06, 0.10, 0.10};
  const ProbedSystem slow = with_longer_steps(system, std::exp(0.06));
  EXPECT_NEAR(to_ms(slow.slos[0].limit), 500 / std::exp(0.08), 0.01);
  EXPECT_NEAR(to_ms(slow.slos[1].limit), 500 / std::exp(0.08), 0.01);
  EXPECT_EQ(to_ms(slow.slos[2].limit), 5000);
  const ProbedSystem fast = with_longer_steps(system, std::exp(-0.06));
  EXPECT_NEAR(to_ms(fast.slos[0].limit), 500 * std::exp(0.08), 0.01);
}

TEST(LongerSteps, leave_a_rate_to_plan_for_that_is_confirmed) {
  const double slow = 1.06;
  EXPECT_TRUE(search_with_longer_steps(40, 0.01, slow, true).confirms);
  EXPECT_FALSE(search_with_longer_steps(40, 0.01, 1 / slow, true).confirms);
  EXPECT_EQ(search_with_longer_steps(40, 0.01, slow, true).lowest, 10);
  const ProbeEffort effort{300'000, 600'000};
  EXPECT_EQ(effort_with_longer_steps(effort, slow, {}).most_requests, 600'000);
  EXPECT_EQ(effort_with_longer_steps(effort, 1 / slow, {}).most_requests, 300'000);
}

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

TEST(MinimumSearch, asks_next_how_many_would_serve_it_all) {
  MinimumSearch search({16, 100});
  std::vector<std::int64_t> asked;
  for (auto numbers = search.next(); !numbers.empty(); numbers = search.next()) {
    for (const std::int64_t n : numbers) {
      LoadProbe test = test_at(200, n >= 23 ? 200 : 0, 8.9 * static_cast<double>(n));
      test.instances = static_cast<std::int32_t>(n);
      search.tell(test);
      asked.push_back(n);
    }
  }
  EXPECT_EQ(asked, (std::vector<std::int64_t>{16, 23, 19, 22}));
  EXPECT_EQ(search.good(), 23);
  EXPECT_EQ(search.bad(), 22);
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

// Steps downwards grow beyond all numbers after so many answers.
TEST(RateSearch, asks_the_lowest_rate_at_the_end_however_much_stays_unclear) {
  RateSearchOptions options;
  options.guess = 20;
  options.lowest = 0.02;
  RateSearch search(options);
  search.tell(21.6, Answer::fails);
  for (int i = 0; i < 80; ++i) search.tell(2 - 0.01 * i, Answer::unclear);
  const std::vector<double> rates = search.next();
  ASSERT_EQ(rates, std::vector<double>{0.02});
  search.tell(rates.front(), Answer::unclear);
  EXPECT_TRUE(search.next().empty());
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
