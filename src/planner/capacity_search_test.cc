// Does a capacity ask all that it tells of, and say when it could not?
#include "planner/capacity_search.h"

#include <gtest/gtest.h>

#include <atomic>

#include "known_system.h"

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

}  // namespace
}  // namespace plimsoll
