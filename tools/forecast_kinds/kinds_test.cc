#include "forecast_kinds/kinds.h"

#include <cmath>

#include <gtest/gtest.h>

#include "forecast_kinds/measure.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

TEST(Kinds, does_a_history_have_many_futures) {
  for (const Kind& kind : kinds()) {
    const std::vector<double> one = draw_series(kind, 1, 0);
    const std::vector<double> other = draw_series(kind, 1, 1);
    ASSERT_EQ(one.size(), kind.known_steps() + kind.steps_ahead());
    for (std::size_t t = 0; t < kind.known_steps(); ++t) EXPECT_EQ(one[t], other[t]) << kind.name;
    EXPECT_NE(one, other) << kind.name;
    EXPECT_NE(one, draw_series(kind, 2, 0)) << kind.name;
  }
}

// Of every kind a few series; docs/explanation/forecast-accuracy.md has forty.
TEST(Kinds, do_forecasts_hold_what_the_page_says) {
  SLOW_SANITIZED();
  double covered = 0;
  for (const Kind& kind : kinds()) {
    const auto score = score_of(kind, 6);
    ASSERT_TRUE(score);
    covered += score->peak_covered / static_cast<double>(kinds().size());
    EXPECT_GT(score->peak_covered, 0.7) << kind.name;
    EXPECT_LT(score->brier, 0.32) << kind.name;
    // Whoever repeats the only week that was seen takes it for the pattern of all.
    EXPECT_LT(score->mase_ratio, kind.steps_per_day == 1 ? 1.15 : 2.5) << kind.name;
    EXPECT_LT(std::fabs(score->peak_bias), 0.6) << kind.name;
    // What does not change is known well: noise of its size, and no growth.
    if (kind.name.starts_with("flat")) {
      EXPECT_LT(score->band_width, 2.5) << kind.name;
      EXPECT_LT(score->brier, 0.22) << kind.name;
    }
  }
  EXPECT_GT(covered, 0.85);
  EXPECT_LT(covered, 0.97);
}

}  // namespace
}  // namespace plimsoll
