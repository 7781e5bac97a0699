// Is of what comes by and by, a failing route or a cohort, as much held as the sheet says?
#include "forecast/headroom/review.h"

#include <gtest/gtest.h>

#include "forecast/headroom/headroom.h"
#include "known_served.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

// Of 80 requests/s that find most of their prompt in the cache, how many can come to a route that
// finds nothing? As many as are held when they do.
TEST(Failover, are_fallbacks_taken_to_where_simulations_break) {
  SLOW_SANITIZED();
  const ForecastRequest request = *parse_forecast_request(R"(routes:
  cached: {requests_per_s: 80, prompt_tokens: 10000, cached_share: 0.8, output_tokens: 1,
           fallback_to: cold}
  cold: {requests_per_s: 110, prompt_tokens: 10000, output_tokens: 1}
scenarios: {built_in: []}
)",
                                                          "f.yaml");
  const auto review = find_headroom(request, test::known_served(), Execution{})->review;
  const FallbackSpare& fallback = review.fallbacks.at(0);
  const Failover failover = failovers(request.forecast).at(0);
  for (const FailureKind kind : {FailureKind::whole, FailureKind::partial}) {
    const Spare& spare = kind == FailureKind::whole ? fallback.spare : fallback.partial;
    ASSERT_TRUE(spare.share);
    EXPECT_GT(*spare.share, 0.2);
    EXPECT_LT(*spare.share, 0.95);
    ASSERT_TRUE(spare.beyond);
    EXPECT_EQ(spare.beyond->reason.cause, ProbeCause::slo_figure);
    const auto answer = [&](double share) {
      const auto flows = flows_after(failover, kind, share, request.forecast);
      return test_flows(test::known_served(), flows, {}, {})->answer;
    };
    EXPECT_EQ(answer(0.9 * *spare.share), Answer::holds);
    EXPECT_EQ(answer(1.1 * *spare.share), Answer::fails);
  }
  // A route that answers nothing any more leaves its room to what falls back.
  EXPECT_GT(*fallback.spare.share, 1.05 * *fallback.partial.share);
}

// A prompt that is 20 times as long takes 200 ms where the mean may be 30, others 10: with 10.5 %
// of them nobody could wait at all.
TEST(Cohort, is_one_that_is_never_held_searched_for_how_large_it_may_be) {
  SLOW_SANITIZED();
  const ForecastRequest request = *parse_forecast_request(R"(routes:
  only: {requests_per_s: 40, prompt_tokens: 10000, output_tokens: 1}
scenarios: {long: {cohort: {share: 0.2, prompt_tokens: 20}}}
)",
                                                          "f.yaml");
  const HeadroomSheet sheet = *find_headroom(request, test::known_served(), Execution{});
  const ScenarioRow& cohort = sheet.scenarios.at(0);
  ASSERT_EQ(cohort.peak->line.factor, 0);
  ASSERT_TRUE(cohort.trigger);
  EXPECT_EQ(cohort.trigger->metric, "cohort_share");
  EXPECT_GT(cohort.trigger->value, 0.005);
  EXPECT_LT(cohort.trigger->value, 0.105);  // 10 + 190 x share ms without a queue
  const auto answer = [&](double share) {
    Change change;
    change.cohort = Cohort{share, 20, 1};
    return test_flows(test::known_served(), flows_of(changed(request.forecast, {change})), {}, {})
        ->answer;
  };
  EXPECT_EQ(answer(0.8 * cohort.trigger->value), Answer::holds);
  EXPECT_EQ(answer(1.2 * cohort.trigger->value), Answer::fails);
}

}  // namespace
}  // namespace plimsoll
