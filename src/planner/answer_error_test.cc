#include "planner/answer_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "known_system.h"

namespace plimsoll {
namespace {

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
  EXPECT_EQ(search_with_longer_steps(40, 0.01, slow, true).lowest, 1.25);
  const ProbeEffort effort{300'000, 600'000};
  EXPECT_EQ(effort_with_longer_steps(effort, slow, {}).most_requests, 600'000);
  EXPECT_EQ(effort_with_longer_steps(effort, 1 / slow, {}).most_requests, 300'000);
}

}  // namespace
}  // namespace plimsoll
