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

TEST(RateSearch, asks_next_to_what_stays_unclear_then_further_away) {
  RateSearchOptions options{100, 0.01, 1};
  options.known_good = 80;
  RateSearch search(options);
  search.tell(130, Answer::fails);
  search.tell(100, Answer::unclear);
  EXPECT_EQ(search.next(), (std::vector<double>{99.5, 101}));
  search.tell(99.5, Answer::holds);
  search.tell(101, Answer::unclear);
  EXPECT_EQ(search.next(), std::vector<double>{102});
  search.tell(102, Answer::unclear);
  EXPECT_EQ(search.next(), std::vector<double>{105});
  search.tell(105, Answer::fails);
  EXPECT_EQ(search.next(), std::vector<double>{103});
}

TEST(RateSearch, asks_the_lowest_rate_before_it_creeps_down_to_it) {
  RateSearch search({14, 0.02, 10});
  search.tell(13.6, Answer::fails);
  search.tell(13, Answer::fails);
  EXPECT_GT(search.next().front(), 10);
  search.tell(12.6, Answer::fails);
  EXPECT_EQ(search.next(), std::vector<double>{10});
  search.tell(10, Answer::holds);
  EXPECT_GT(search.next().front(), 10);
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

// Where the seed decides, as it does where a router gathers what shares a prompt.
TEST(RateSearch, confirms_few_rates_where_other_seeds_fail_far_below) {
  for (const double all_seeds : {0.02, 1.0, 7.0, 11.0}) {
    RateSearchOptions options{10, 0.01, 0.01};
    options.confirms = true;
    RateSearch search(options);
    int confirmed = 0;
    for (int round = 0; round < 100; ++round) {
      for (const double rate : search.next()) search.tell(rate, ask(rate, 12, 0));
      const auto held = search.unconfirmed();
      if (search.next().empty() && !held) break;
      if (!held) continue;
      confirmed += 1;
      search.confirm(*held, *held <= all_seeds ? Answer::holds : Answer::unclear);
    }
    EXPECT_LE(search.good(), all_seeds);
    EXPECT_GT(search.good(), all_seeds * 0.98);
    EXPECT_LE(search.bad(), 12 * 1.011);
    EXPECT_LE(confirmed, 24) << all_seeds;
  }
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

// Latencies grow as a power of the rate, with the limit at `limit`.
LoadProbe strained(double rate, double limit, double exponent) {
  LoadProbe test;
  test.rate_rps = rate;
  test.answer = rate <= limit ? Answer::holds : Answer::fails;
  SloFigure& figure = test.slos.emplace_back();
  figure.limit_ms = 500;
  figure.value_ms = 500 * std::pow(rate / limit, exponent);
  return test;
}

TEST(RateSearch, looks_for_the_limit_where_latencies_meet_theirs) {
  for (const double exponent : {0.3, 1.0, 4.0, 25.0}) {
    for (double limit = 20; limit < 300; limit *= 1.13) {
      RateSearch search({100, 0.01, 0.01});
      std::size_t asked = 0;
      for (auto rates = search.next(); !rates.empty(); rates = search.next()) {
        for (const double rate : rates) search.tell(strained(rate, limit, exponent));
        asked += rates.size();
        ASSERT_LE(asked, 14U) << limit << " of 100, to the power of " << exponent;
      }
      EXPECT_LE(search.good(), limit);
      EXPECT_GT(search.bad(), limit);
      EXPECT_LE(search.bad(), search.good() * 1.0101) << limit;
      const std::size_t enough = limit > 60 && limit < 150 && exponent >= 1 ? 7 : 14;
      EXPECT_LE(asked, enough) << limit << " of 100, to the power of " << exponent;
    }
  }
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

}  // namespace
}  // namespace plimsoll
