#include "forecast_kinds/kinds.h"

#include <gtest/gtest.h>

#include "forecast_kinds/measure.h"

namespace plimsoll {
namespace {

TEST(Kinds, does_a_history_have_many_futures) {
  for (const Kind& kind : kinds()) {
    const std::vector<double> one = draw_series(kind, 1, 0);
    const std::vector<double> other = draw_series(kind, 1, 1);
    ASSERT_EQ(one.size(), kind.days + kind.horizon);
    for (std::size_t t = 0; t < kind.days; ++t) EXPECT_EQ(one[t], other[t]) << kind.name;
    EXPECT_NE(one, other) << kind.name;
    EXPECT_NE(one, draw_series(kind, 2, 0)) << kind.name;
  }
}

}  // namespace
}  // namespace plimsoll
