#include "planner/capacity.h"

#include <gtest/gtest.h>

#include "asked_count.h"
#include "known_system.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::single_servers;

constexpr double kLimit = 100 - 23.02585;  // of M/M/1, TTFT p90 < 100 ms: 100 - ln(10) / 0.1

ProbedSystem confirmed_servers(std::uint64_t seed) {
  ProbedSystem system = single_servers("ttft_p90<100ms", seed);
  for (const std::uint64_t more : {1'000U, 2'000U}) {
    system.other_loads.push_back(single_servers("", seed + more).load);
  }
  return system;
}

LoadProbe test_of(Answer answer, double ttft_ms, std::uint64_t seed) {
  LoadProbe test;
  test.rate_rps = 50;
  test.requests = 1'000;
  test.answer = answer;
  test.seed = seed;
  test.reason = ProbeCause::slo_figure;
  test.slos.emplace_back().value_ms = ttft_ms;
  return test;
}

// Runs so short that what holds is often luck.
RateAnswer answer_of(const ProbedSystem& system, bool confirms) {
  ProbeEffort effort;
  effort.first_requests = 22'000;
  effort.most_requests = 400'000;
  RateSearchOptions search{80, 0.01, 1};
  search.confirms = confirms;
  return *sustainable_rate(system, search, effort, {});
}

TEST(Confirmation, asks_every_other_load_as_long) {
  const ProbedSystem system = confirmed_servers(1);
  ProbeJob asked{&system, 50, 1, {}};
  asked.effort.most_requests = 1'500;
  asked.effort.first_requests = 700;
  const auto jobs = confirming_jobs(asked, test_of(Answer::holds, 80, 1));
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].draw, 1);
  EXPECT_EQ(jobs[1].draw, 2);
  EXPECT_EQ(jobs[1].rate_rps, 50);
  EXPECT_EQ(jobs[1].effort.first_requests, 1'000);  // of the run that held, which had grown
}

TEST(Confirmation, shows_what_the_search_did_not_choose) {
  const LoadProbe whole =
      with_others(test_of(Answer::holds, 70, 1),
                  {test_of(Answer::holds, 80, 2), test_of(Answer::holds, 90, 3)});
  EXPECT_EQ(whole.answer, Answer::holds);
  EXPECT_EQ(whole.seeds, 3);
  EXPECT_EQ(whole.seed, 2U);
  EXPECT_EQ(whole.slos[0].value_ms, 80);
  EXPECT_EQ(whole.slos[0].over_seeds_ms->low, 70);
  EXPECT_EQ(whole.slos[0].over_seeds_ms->high, 90);
}

TEST(Confirmation, is_unclear_what_does_not_hold_with_all) {
  const LoadProbe whole =
      with_others(test_of(Answer::holds, 70, 1),
                  {test_of(Answer::unclear, 99, 2), test_of(Answer::fails, 130, 3)});
  EXPECT_EQ(whole.answer, Answer::unclear);
  EXPECT_EQ(whole.seeds, 1);
  EXPECT_EQ(whole.seed, 3U);
  EXPECT_TRUE(whole.is_refuting);
}

TEST(Confirmation, keeps_a_search_from_ending_too_high) {
  SLOW_SANITIZED();
  int too_high = 0;
  int too_high_unconfirmed = 0;
  const std::uint64_t searches = test::asked_count("PLIMSOLL_CONFIRMED_SEARCHES", 4);
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    const ProbedSystem system = confirmed_servers(seed);
    const RateAnswer answer = answer_of(system, true);
    too_high += answer.good_rps > kLimit ? 1 : 0;
    too_high_unconfirmed += answer_of(system, false).good_rps > kLimit ? 1 : 0;
    EXPECT_GT(answer.good_rps, 0.95 * kLimit) << seed;
    EXPECT_EQ(answer.at(answer.good_rps)->seeds, 3) << seed;
    EXPECT_EQ(answer.at(answer.good_rps)->answer, Answer::holds) << seed;
    EXPECT_GT(answer.simulations, static_cast<std::int64_t>(answer.tests.size())) << seed;
  }
  EXPECT_LE(too_high, 1);
  EXPECT_LE(too_high, too_high_unconfirmed);
}

TEST(Confirmation, does_a_search_of_instances_go_on_above_what_is_refuted) {
  ProbedSystem system = single_servers("ttft_p90<100ms");
  // With the other requests everything takes longer: they come more often.
  const LoadMaker own = system.load;
  system.other_loads.push_back(
      [own](double rate, std::int64_t requests) { return own(1.4 * rate, requests); });
  MinimumSearchOptions search{4, 20};
  ProbeEffort effort;
  effort.most_requests = 60'000;
  const auto trusting = fewest_instances(system, 290, 0.1, search, effort, {});
  search.confirms = true;
  const auto confirmed = fewest_instances(system, 290, 0.1, search, effort, {});
  ASSERT_TRUE(trusting && confirmed);
  EXPECT_EQ(trusting->instances, 4);
  EXPECT_GE(confirmed->instances, 5);
  EXPECT_EQ(confirmed->of(4)->answer, Answer::unclear);
  EXPECT_EQ(confirmed->of(confirmed->instances)->seeds, 2);
}

}  // namespace
}  // namespace plimsoll
