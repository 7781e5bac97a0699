
#include <cmath>

#include <gtest/gtest.h>

#include "forecast/runway/demand_growth.h"
#include "random/distributions.h"

namespace plimsoll {
namespace {

struct TwoRoutes {
  double per_day = 0;  ///< growth of the logarithm of the one, the other stays at 20
  double noise = 0;
};

// 84 days, of which the growing route has half a request/s on the first.
DemandHistory demand_of(const TwoRoutes& two) {
  History history;
  history.step_s = kDayS;
  std::vector<double> flat, growing;
  for (std::size_t t = 0; t < 84; ++t) {
    RandomStream stream(t, Purpose::arrival, 3);
    flat.push_back(20 * std::exp(two.noise * draw_normal(stream)));
    growing.push_back(0.5 * std::exp(two.per_day * static_cast<double>(t)));
  }
  history.series = {{"requests_per_s", "old", flat},
                    {"requests_per_s", "new", growing},
                    {"requests_per_s", "unused", std::vector<double>(84)}};
  std::vector<Route> routes(3);
  routes[2].name = "unused";
  routes[0].name = "old";
  routes[1].name = "new";
  return demand_of_past(history, "h.csv", routes).value();
}

OutlookOptions four_weeks() {
  OutlookOptions options;
  options.horizon = 28;
  return options;
}

bool is_by_routes(const Outlook& outlook) {
  return std::ranges::any_of(outlook.notes, [](const std::string& note) {
    return note.starts_with("forecast route by route");
  });
}

TEST(ByRoutes, is_a_sum_of_unlike_growth_the_sum_of_its_routes) {
  const DemandHistory demand = demand_of({std::log(1.03), 0});
  const auto outlook = look_ahead(demand, demand.columns.front(), four_weeks());
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(is_by_routes(*outlook));
  EXPECT_NEAR(outlook->peak()[kMedianBand], 20 + 0.5 * std::pow(1.03, 111), 0.5);
}

// Noise that all of it shares is foretold no better by its parts.
TEST(ByRoutes, is_a_total_that_foretells_itself_continued) {
  const DemandHistory demand = demand_of({0, 0.05});
  const auto outlook = look_ahead(demand, demand.columns.front(), four_weeks());
  ASSERT_TRUE(outlook);
  EXPECT_FALSE(is_by_routes(*outlook));
}

}  // namespace
}  // namespace plimsoll
