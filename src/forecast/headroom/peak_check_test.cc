// How much of a demand is held, with what error, and does what is held depend on what comes?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forecast/headroom/headroom.h"
#include "forecast/headroom/situation.h"
#include "known_served.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

constexpr const char* kOneRoute = R"(routes:
  only: {requests_per_s: {baseline: 80, forecast: 120}, prompt_tokens: 10000, output_tokens: 1}
scenarios: {built_in: []}
)";

// As `plimsoll capacity` judges: steps are known to a hundredth, and yet a first token may come so
// much later.
TEST(PeakCheck, is_the_forecast_judged_by_the_error_of_its_limits_too) {
  SLOW_SANITIZED();
  Served served = test::known_served();
  served.model_error = ModelError{};
  served.model_error->step = 0.01;
  served.model_error->ttft = served.model_error->ttft_tail = 0.4;
  const auto request = parse_forecast_request(kOneRoute, "f.yaml");
  const auto headroom = find_headroom(*request, served, Execution{});
  ASSERT_TRUE(headroom && headroom->forecast);
  const PeakCheck& peak = *headroom->forecast;
  ASSERT_TRUE(peak.judged);
  EXPECT_LT(peak.held().low, 0.97 * peak.line.interval.low);
  EXPECT_GT(peak.held().high, 1.03 * peak.line.interval.high);
  served.model_error.reset();
  EXPECT_FALSE(find_headroom(*request, served, Execution{})->forecast->judged);
}

// Twice as many requests come than are held, or three times: the same prompts and answers are.
TEST(PeakCheck, is_a_capacity_the_same_however_far_above_it_the_baseline_is) {
  SLOW_SANITIZED();
  std::vector<double> prompts;
  for (const int rate : {120, 350, 520}) {
    const auto request = parse_forecast_request(
        fmt::format("routes: {{only: {{requests_per_s: {{baseline: {}, forecast: 100}}, "
                    "prompt_tokens: 10000, output_tokens: 1}}}}\nscenarios: {{built_in: []}}",
                    rate),
        "f.yaml");
    const HeadroomSheet sheet = *find_headroom(*request, test::known_served(), Execution{});
    prompts.push_back(*sheet.row_of(Resource::prompt_tokens)->capacity);
  }
  EXPECT_NEAR(prompts[1], prompts[0], 0.06 * prompts[0]);
  EXPECT_NEAR(prompts[2], prompts[0], 0.06 * prompts[0]);
}

// An error of first tokens that was searched for the forecast reaches as far for a scenario.
TEST(PeakCheck, has_a_scenario_all_of_the_error_that_the_forecast_has) {
  PeakCheck peak;
  peak.line.factor = 2;
  peak.line.interval = {1.8, 2.2};
  peak.judged = Interval{1, 3};
  Line other;
  other.factor = 1;
  other.interval = {0.9, 1.7};
  EXPECT_EQ(peak.judged_as(other).low, 0.5);
  EXPECT_EQ(peak.judged_as(other).high, 1.7);
  peak.judged.reset();
  EXPECT_EQ(peak.judged_as(other).low, 0.9);
}

TEST(PeakCheck, holds_no_more_than_a_peak_that_breaks_a_limit) {
  const std::vector<Slo> slos = *parse_slos("slo", "tpot_p99<60ms");
  PeakCheck peak;
  peak.line = Line{1.03, {0.96, 1.1}, {}, {}, true, true};
  peak.probe.rate_rps = 100;
  peak.probe.answer = Answer::unclear;
  peak.probe.slos.emplace_back().value_ms = 59.9;
  agree_with_test(&peak, slos);
  EXPECT_EQ(peak.line.factor, 1.03);
  peak.probe.slos[0].value_ms = 60.1;
  agree_with_test(&peak, slos);
  EXPECT_EQ(peak.line.factor, 1);
  peak.probe.answer = Answer::fails;
  agree_with_test(&peak, slos);
  EXPECT_LT(peak.line.factor, 1);
  EXPECT_GE(peak.line.factor, peak.line.interval.low);
}

}  // namespace
}  // namespace plimsoll
