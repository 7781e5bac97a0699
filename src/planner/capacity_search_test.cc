// Does a capacity ask all that it tells of, and say when it could not?
#include "planner/capacity_search.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "known_system.h"
#include "planner/load_curve.h"

namespace plimsoll {
namespace {

using test::single_servers;

constexpr ModelError kError{
    .regime = Regime::measured, .step = 0.06, .ttft = 0.06, .ttft_tail = 0.06};

CapacitySearchOptions fewest_with_error() {
  CapacitySearchOptions options;
  options.for_instances = true;
  options.error = kError;
  return options;
}

CapacityAnswer asked_for(double rate_rps) {
  CapacityAnswer answer;
  answer.rate_rps = rate_rps;
  answer.estimate.rate_rps = test::kServedPerSecond;
  return answer;
}

TEST(CapacitySearch, says_that_it_was_interrupted_when_only_the_models_error_is_missing) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  std::atomic<bool> goes_on = true;
  CapacityWatch watch;
  watch.keep_going = [&] { return goes_on.load(); };
  watch.tested = [&](const CapacityProgress& p, const LoadProbe&, const std::vector<Slo>&) {
    if (p.now == CapacityPart::model_error) goes_on = false;
  };
  CapacityAnswer answer = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, fewest_with_error(), watch, &answer).run());
  EXPECT_TRUE(answer.holds());
  EXPECT_TRUE(answer.spare);
  EXPECT_FALSE(answer.model);
  EXPECT_TRUE(answer.interrupted);

  CapacityAnswer whole = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, fewest_with_error(), {}, &whole).run());
  EXPECT_TRUE(whole.model);
  EXPECT_FALSE(whole.interrupted);
}

// A limit on one request of a thousand takes more of them than a look at short steps once had.
TEST(CapacitySearch, tells_rare_percentiles_with_short_steps_too) {
  const ProbedSystem system = single_servers("ttft_p99.9<1s");
  CapacityAnswer answer = asked_for(80);
  ASSERT_TRUE(CapacitySearch(system, fewest_with_error(), {}, &answer).run());
  ASSERT_TRUE(answer.holds() && answer.model);
  EXPECT_GE(answer.model->low, 1);
  EXPECT_GE(answer.instances_with_slow_steps(), answer.fewest->instances);
}

TEST(CapacitySearch, tells_between_which_numbers_the_answer_lies) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  std::vector<CapacityProgress> told;
  CapacityWatch watch;
  watch.tested = [&](const CapacityProgress& p, const LoadProbe&, const std::vector<Slo>&) {
    told.push_back(p);
  };
  CapacitySearchOptions options;
  options.for_instances = true;
  CapacityAnswer answer = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, options, watch, &answer).run());
  ASSERT_FALSE(told.empty());
  EXPECT_FALSE(told.front().holds && told.front().fails);
  EXPECT_EQ(told.back().holds, answer.fewest->instances);
  EXPECT_EQ(told.back().fails, answer.fewest->instances - 1);

  told.clear();
  options.for_instances = false;
  CapacityAnswer most = asked_for(0);
  ASSERT_TRUE(CapacitySearch(system, options, watch, &most).run());
  EXPECT_EQ(told.back().holds, most.rate->good_rps);
  EXPECT_EQ(told.back().fails, most.rate->bad_rps);
}

// Searches test near the limit alone.
TEST(CapacitySearch, adds_short_tests_from_nearly_idle_on_where_a_chart_is_drawn) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  CapacitySearchOptions options;
  options.for_instances = true;
  options.draws_curve = true;
  CapacityAnswer drawn = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, options, {}, &drawn).run());
  ASSERT_EQ(drawn.brief.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const LoadProbe& test = drawn.brief[i];
    EXPECT_DOUBLE_EQ(test.rate_rps, 150 * (0.1 + 0.3 * static_cast<double>(i)));
    EXPECT_EQ(test.instances, drawn.fewest->instances);
    EXPECT_LE(test.requests, 20'000);
  }
  for (const LoadProbe& test : curve_tests(drawn))
    EXPECT_EQ(test.instances, drawn.fewest->instances);
  options.draws_curve = false;
  CapacityAnswer plain = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, options, {}, &plain).run());
  EXPECT_TRUE(plain.brief.empty());
  EXPECT_EQ(plain.fewest->simulations, drawn.fewest->simulations);
}

// A page shows something at once, and the curve of the answer as soon as that is known.
TEST(CapacitySearch, draws_the_curve_at_first_by_arithmetic_and_then_of_the_answer) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  CapacitySearchOptions options;
  options.for_instances = true;
  options.draws_curve = true;
  CapacityWatch watch;
  std::vector<CapacityAnswer> drawn;
  watch.drawn = [&](const CapacityAnswer& so_far) { drawn.push_back(so_far); };
  CapacityAnswer answer = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, options, watch, &answer).run());
  ASSERT_EQ(drawn.size(), 3);
  EXPECT_FALSE(drawn[0].holds());
  EXPECT_EQ(drawn[0].brief.size(), 4) << "from nearly idle up to the rate";
  EXPECT_TRUE(drawn[1].holds());
  for (const LoadProbe& test : drawn[1].brief) EXPECT_EQ(test.instances, answer.fewest->instances);
  EXPECT_EQ(answer.brief.size(), 3) << "the answer itself is the fourth";
  CapacityAnswer plain = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, options, {}, &plain).run());
  EXPECT_EQ(plain.fewest->simulations, answer.fewest->simulations);
}

TEST(CapacitySearch, shows_the_rate_that_is_held_with_slow_steps_too) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  CapacityAnswer answer = asked_for(0);
  CapacitySearchOptions options;
  options.error = kError;
  ASSERT_TRUE(CapacitySearch(system, options, {}, &answer).run());
  ASSERT_TRUE(answer.holds() && answer.model);
  ASSERT_GT(answer.promised_rps(), 0);
  ASSERT_LT(answer.promised_rps(), answer.rate->good_rps);
  EXPECT_EQ(answer.as_promised().rate_rps, answer.promised_rps());
  EXPECT_EQ(answer.as_promised().answer, Answer::holds);
}

TEST(CapacitySearch, shows_the_number_that_slow_steps_need_too) {
  const ProbedSystem system = single_servers("ttft_p90<100ms");
  CapacityAnswer answer = asked_for(150);
  ASSERT_TRUE(CapacitySearch(system, fewest_with_error(), {}, &answer).run());
  ASSERT_GT(answer.instances_with_slow_steps(), 0);
  EXPECT_NE(answer.fewest->of(answer.instances_with_slow_steps()), nullptr);
}

}  // namespace
}  // namespace plimsoll
