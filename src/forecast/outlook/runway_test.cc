#include "forecast/outlook/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;

// Four paths about 10, 11, 12, 13, drawn evenly: they lie 0, 1, 2 and -5 above it.
Outlook four_paths() {
  Outlook outlook;
  outlook.start_s = 1000;
  outlook.step_s = kDayS;
  outlook.point = {10, 11, 12, 13};
  outlook.paths = {{10, 11, 12, 13}, {11, 12, 13, 14}, {12, 13, 14, 15}, {5, 6, 7, 8}};
  outlook.bands.assign(4, {8, 9, 10, 11, 12, 13, 14});
  return outlook;
}

TEST(Runway, is_the_first_crossing_of_each_path_counted) {
  const Runway runway = crossing(four_paths(), 12);
  ASSERT_TRUE(runway.known);
  EXPECT_THAT(runway.chance, ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_EQ(runway.probability(), 0.75);
  EXPECT_EQ(runway.time_at(0.1), 1000 + kDayS);
  EXPECT_EQ(runway.time_at(0.5), 1000 + 2 * kDayS);
  EXPECT_EQ(runway.time_at(0.9), std::nullopt);
  EXPECT_EQ(runway.chance_before(1000), 0);
  EXPECT_EQ(runway.chance_before(1000 + 1.5 * kDayS), 0.25);
  EXPECT_EQ(runway.chance_before(1e9), 0.75);
  EXPECT_THAT(crossing(four_paths(), 11).chance, ElementsAre(0.25, 0.5, 0.75, 0.75));
}

TEST(Runway, is_the_peak_that_of_the_paths) {
  const Outlook outlook = four_paths();
  EXPECT_THAT(outlook.peak(), ElementsAre(8, 8, 8, 13, 14, 15, 15));
  EXPECT_THAT(outlook.peak(0, 1), ElementsAre(5, 5, 5, 10, 11, 12, 12));
  for (double line = 4.5; line < 16; line += 0.5) {
    EXPECT_EQ(outlook.peak()[3] > line, crossing(outlook, line).probability() > 0.5) << line;
  }
}

// Peaks spread evenly from 0 to 10, each path flat.
Outlook even_paths() {
  Outlook outlook;
  outlook.point = {5};
  for (int k = 0; k < 1000; ++k) outlook.paths.push_back({0.01 * ((k * 37) % 1000)});
  return outlook;
}

TEST(Runway, does_each_path_meet_a_line_that_is_as_uncertain_as_it_is) {
  const Outlook outlook = even_paths();
  const auto chance = [&](double line, std::optional<Interval> band = {}) {
    return crossing(outlook, line, band).probability();
  };
  EXPECT_EQ(chance(8, Interval{8, 8}), chance(8));
  // Of log-normal lines around 8 with 90 % between 4 and 16, sigma 0.421: E[max(0, 1 - L / 10)].
  EXPECT_NEAR(chance(8), 0.2, 0.002);
  EXPECT_NEAR(chance(8, Interval{4, 16}), 0.227, 0.004);
  // Twice the same.
  EXPECT_EQ(chance(8, Interval{4, 16}), chance(8, Interval{4, 16}));
  // A line that is out of reach is not so far off where it is not well known.
  EXPECT_EQ(chance(11), 0);
  EXPECT_NEAR(chance(11, Interval{8, 15}), 0.034, 0.01);
}

TEST(Runway, is_more_likely_than_not_about_where_the_median_peak_is_above_an_uncertain_line) {
  const Outlook outlook = even_paths();
  for (const double line : {2.0, 3.0, 4.0, 6.0, 7.0, 9.0}) {
    const bool above = outlook.peak()[3] > line;
    EXPECT_EQ(crossing(outlook, line, Interval{line / 1.2, line * 1.2}).probability() > 0.5, above)
        << line;
  }
}

// A path of 10 each day under a line that falls from 20 to 5: 16.25, 12.5, 8.75, 5.
TEST(Runway, is_a_line_crossed_where_it_has_moved_to) {
  Outlook outlook;
  outlook.step_s = kDayS;
  outlook.point.assign(4, 10);
  outlook.paths = {{10, 10, 10, 10}};
  EXPECT_EQ(crossing(outlook, 5, {}, 4).chance, (std::vector<double>{0, 0, 1, 1}));
  EXPECT_EQ(crossing(outlook, 5).chance.front(), 1);
}

TEST(Runway, is_the_order_placed_early_enough) {
  const Runway runway = crossing(four_paths(), 12);
  const Order order = order_by(runway, 1000, 0.5 * kDayS, 3600, 0.3);
  EXPECT_EQ(order.by_s, 1000 + 2 * kDayS - 0.5 * kDayS - 3600);
  EXPECT_FALSE(order.late);
  EXPECT_EQ(order.chance_if_now, 0);
  const Order late = order_by(runway, 1000, 3 * kDayS, 0, 0.3);
  EXPECT_EQ(late.by_s, 1000 - kDayS);
  EXPECT_TRUE(late.late);
  EXPECT_EQ(late.chance_if_now, 0.5);
  // A week later even half a day is too long.
  EXPECT_TRUE(order_by(runway, 1000 + 7 * kDayS, 0.5 * kDayS, 3600, 0.3).late);
  EXPECT_EQ(order_by(runway, 1000, kDayS, 0, 0.8).by_s, std::nullopt);
}

TEST(Runway, is_there_no_date_without_history) {
  Outlook outlook = four_paths();
  outlook.too_short = true;
  const Runway runway = crossing(outlook, 0);
  EXPECT_FALSE(runway.known);
  EXPECT_EQ(runway.probability(), 0);
  EXPECT_EQ(runway.time_at(0.1), std::nullopt);
  EXPECT_EQ(order_by(runway, 1000, 0, 0, 0.1).by_s, std::nullopt);
}

}  // namespace
}  // namespace plimsoll
