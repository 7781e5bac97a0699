#include "planner/capacity.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "known_system.h"

namespace plimsoll {
namespace {

using test::single_servers;

ProbeEffort short_tests() {
  ProbeEffort effort;
  effort.most_requests = 60'000;
  return effort;
}

Execution on(std::size_t threads) {
  Execution execution;
  execution.threads = threads;
  return execution;
}

constexpr RateSearchOptions kSearch{80, 0.03, 1};

// Of M/M/1, p90 < 100 ms: 100 - ln(10) / 0.1 = 77 per second.
TEST(Capacity, is_the_rate_that_of_the_formula) {
  const double limit = 100 - std::log(10) / 0.1;
  for (const std::uint64_t seed : {1U, 18U}) {
    const auto answer =
        sustainable_rate(single_servers("ttft_p90<100ms", seed), kSearch, short_tests(), {});
    ASSERT_TRUE(answer);
    EXPECT_LE(answer->good_rps, limit) << seed;
    EXPECT_GE(answer->good_rps, limit * 0.92) << seed;
    EXPECT_GE(answer->bad_rps, limit) << seed;
    EXPECT_LE(answer->bad_rps, limit * 1.08) << seed;
    EXPECT_EQ(answer->at(answer->good_rps)->answer, Answer::holds) << seed;
    EXPECT_EQ(answer->at(answer->bad_rps)->answer, Answer::fails) << seed;
  }
}

TEST(Capacity, do_threads_change_nothing) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  const auto one = sustainable_rate(system, kSearch, short_tests(), on(1));
  const auto four = sustainable_rate(system, kSearch, short_tests(), on(4));
  ASSERT_TRUE(one && four);
  ASSERT_EQ(one->tests.size(), four->tests.size());
  for (std::size_t i = 0; i < one->tests.size(); ++i) {
    EXPECT_EQ(one->tests[i].rate_rps, four->tests[i].rate_rps);
    EXPECT_EQ(one->tests[i].requests, four->tests[i].requests);
    EXPECT_EQ(one->tests[i].slos[0].value_ms, four->tests[i].slos[0].value_ms);
  }
}

TEST(Capacity, are_the_fewest_instances_found_with_the_evidence_beside_them) {
  const auto answer =
      fewest_instances(single_servers("ttft_p90<100ms"), 290, 0.1, {3, 20}, short_tests(), on(2));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->instances, 4);  // one holds a little more than 77, in turns
  EXPECT_EQ(answer->too_few, 3);
  ASSERT_NE(answer->of(3), nullptr);
  EXPECT_EQ(answer->of(3)->answer, Answer::fails);
  EXPECT_EQ(answer->of(17), nullptr);
}

TEST(Capacity, are_many_more_than_guessed_looked_for_where_one_that_is_idle_holds) {
  const auto fewest = [&](const char* slo) {
    return fewest_instances(single_servers(slo), 300, 0.1, {1, 1'000}, short_tests(), on(2));
  };
  // One of 25 requests takes more than 32 ms even alone: hardly any may wait.
  const auto many = fewest("ttft_p96<34ms");
  ASSERT_TRUE(many && many->idle);
  EXPECT_EQ(many->idle->answer, Answer::holds);
  EXPECT_GT(many->instances, 8);
  EXPECT_GT(many->too_few, 4);
  const auto none = fewest("ttft_p96<30ms");
  ASSERT_TRUE(none && none->idle);
  EXPECT_EQ(none->idle->answer, Answer::fails);
  EXPECT_EQ(none->instances, 0);
  EXPECT_EQ(none->tests.size(), 2U);  // the guess, and how many would serve it all
}

TEST(Capacity, do_requests_that_are_always_turned_away_end_the_search) {
  ProbedSystem system = single_servers("ttft_p90<1s");
  Deployment& limited = system.deployment;
  limited.admission = "token-bucket";
  limited.parameters["token-bucket-capacity"] = 1e6;
  limited.parameters["token-bucket-refill-rate"] = 1e6;
  const auto answer = fewest_instances(system, 200, 0.1, {3, 1'000}, short_tests(), on(2));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->instances, 0);
  EXPECT_EQ(answer->tests.size(), 1U);
  EXPECT_FALSE(answer->idle);
  // Of 80 per second the bucket lets nearly all in, and one serves them.
  EXPECT_EQ(fewest_instances(system, 80, 0.1, {3, 1'000}, short_tests(), on(2))->instances, 1);
}

TEST(Capacity, does_an_interrupted_search_say_what_it_has) {
  std::atomic<int> left = 2;
  Execution execution = on(1);
  execution.tested = [&](const ProbeJob&, const LoadProbe&) { --left; };
  execution.keep_going = [&] { return left > 0; };
  const auto answer =
      sustainable_rate(single_servers("ttft_p90<100ms"), kSearch, short_tests(), execution);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->interrupted);
  EXPECT_EQ(answer->tests.size(), 2U);
}

TEST(Capacity, is_what_cannot_be_loaded_an_error) {
  ProbedSystem system = single_servers("");
  system.load = [](double, std::int64_t) -> Result<Load> {
    return fail(ErrorKind::usage, "no such traffic");
  };
  const auto answer = sustainable_rate(system, kSearch, short_tests(), on(2));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().diagnostics.front().message, "no such traffic");
}

}  // namespace
}  // namespace plimsoll
