
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/runway/demand_growth.h"

namespace plimsoll {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double kStart = 20'000 * kDayS;
constexpr int kDays = 100;

double day(int t) { return kStart + t * kDayS; }

Outlook continued(const std::function<double(int)>& level, const HistoryRequest& request) {
  History history;
  history.start_s = kStart;
  history.step_s = kDayS;
  history.dated = true;
  history.series = {{"requests_per_s", "", {}}};
  for (int t = 0; t < kDays; ++t) {
    history.series[0].values.push_back(level(t) * (1 + 0.02 * std::sin(2.3 * t)));
  }
  const DemandHistory demand = demand_in(history, "h.csv", {}).value();
  return look_ahead(demand, request).value().front().outlook;
}

HistoryRequest knowing(std::vector<KnownEvent> events) {
  HistoryRequest request;
  request.path = "h.csv";
  request.horizon_days = 40;
  request.events = std::move(events);
  return request;
}

double flat(int) { return 10; }

TEST(KnownDemand, does_a_launch_add_what_it_says_by_its_date) {
  const Outlook outlook =
      continued(flat, knowing({{"launch", day(kDays + 10), {}, 1.5, 10 * kDayS}}));
  EXPECT_NEAR(outlook.point[9], 10, 0.3);
  EXPECT_NEAR(outlook.point[15], 12.5, 0.4);
  EXPECT_NEAR(outlook.point[30], 15, 0.4);
  EXPECT_GT(crossing(outlook, 13).probability(), 0.99);
  EXPECT_THAT(outlook.notes, Contains(HasSubstr("1.50 times the demand, reached within 10 days")));
}

TEST(KnownDemand, does_a_promotion_teach_nothing) {
  const auto level = [](int t) { return t >= 80 && t < 90 ? 30.0 : 10.0; };
  const Outlook outlook = continued(level, knowing({{"promotion", day(80), day(90), {}, 0}}));
  EXPECT_NEAR(outlook.point[5], 10, 0.4);
  EXPECT_LT(outlook.peak().back(), 12);
  EXPECT_TRUE(outlook.events.shifts.empty() && outlook.events.odd.empty());
}

TEST(KnownDemand, is_a_shift_measured_that_is_too_small_to_be_found) {
  const auto level = [](int t) { return t < 85 ? 10.0 : 11.0; };
  EXPECT_TRUE(continued(level, knowing({})).events.shifts.empty());
  const Outlook outlook = continued(level, knowing({{"customer", day(85), {}, {}, 0}}));
  ASSERT_EQ(outlook.events.shifts.size(), 1U);
  EXPECT_NEAR(outlook.point[5], 11, 0.2);
  EXPECT_NEAR(outlook.point[35], 11, 0.2);
}

TEST(KnownDemand, is_use_per_seat_continued_with_the_seats) {
  HistoryRequest request = knowing({});
  request.seats = {{day(0), 100}, {day(kDays), 200}, {day(kDays + 40), 600}};
  const auto level = [](int t) { return 0.1 * (100 + t); };
  const Outlook outlook = continued(level, request);
  EXPECT_NEAR(outlook.point[0], 20, 0.8);
  EXPECT_NEAR(outlook.point[20], 40, 1.6);
  EXPECT_NEAR(outlook.point[39], 59, 2.4);
}

double now_of(const std::function<double(int)>& level, const HistoryRequest& request) {
  History history;
  history.start_s = kStart;
  history.step_s = kDayS;
  history.dated = true;
  history.series = {{"requests_per_s", "", {}}};
  for (int t = 0; t < kDays; ++t) history.series[0].values.push_back(level(t));
  return look_ahead(demand_in(history, "h.csv", {}).value(), request).value().front().now;
}

// Odd days and events of the last week are not what demand is now.
TEST(KnownDemand, is_the_present_without_odd_days_and_with_what_is_known) {
  const auto odd = [](int t) { return (t == 97 ? 40.0 : 10.0) * (1 + 0.02 * std::sin(2.3 * t)); };
  EXPECT_NEAR(now_of(odd, knowing({})), 10.2, 0.1);
  const auto promoted = [](int t) { return t >= 94 && t < 98 ? 20.0 : 10.0; };
  EXPECT_NEAR(now_of(promoted, knowing({{"promotion", day(94), day(98), {}, 0}})), 10, 0.1);
  EXPECT_NEAR(now_of(promoted, knowing({{"promotion", day(94), day(98), 2.0, 0}})), 10, 0.1);
  const auto launched = [](int t) { return t >= 98 ? 15.0 : 10.0; };
  EXPECT_NEAR(now_of(launched, knowing({{"launch", day(98), {}, 1.5, 0}})), 15, 0.1);
}

TEST(KnownDemand, is_an_event_that_changes_nothing_told) {
  for (const KnownEvent& event : {KnownEvent{"launch", day(kDays + 41), {}, 2.0, 0},
                                  KnownEvent{"promotion", day(-20), day(-10), {}, 0},
                                  KnownEvent{"mistyped year", day(-300), {}, 2.0, kDayS}}) {
    EXPECT_THAT(continued(flat, knowing({event})).notes,
                Contains(testing::AllOf(HasSubstr(event.name), HasSubstr("it has no effect"))));
  }
}

// Midnight is that of the history, 23:00 of the day before in UTC.
TEST(KnownDemand, do_events_go_by_the_clock_of_the_history) {
  History history;
  history.start_s = kStart - 3600;
  history.step_s = kDayS;
  history.zone_s = 3600;
  history.dated = true;
  history.series = {{"requests_per_s", "", std::vector<double>(kDays, 1)}};
  KnownEvent promotion{"promotion", day(80), day(90), {}, 0, true};
  const auto known = known_demand(knowing({promotion}), history, 40);
  EXPECT_THAT(known->left_out, testing::ElementsAre(testing::Pair(80, 90)));
}

TEST(KnownDemand, is_an_event_ahead_without_a_size_refused) {
  History history;
  history.start_s = kStart;
  history.step_s = kDayS;
  history.dated = true;
  history.series = {{"requests_per_s", "", std::vector<double>(kDays, 1)}};
  const auto ahead = known_demand(knowing({{"launch", day(120), {}, {}, 0}}), history, 40);
  ASSERT_FALSE(ahead);
  EXPECT_THAT(format(ahead.error()), HasSubstr("h.csv: error: the event \"launch\" begins after"));
  history.dated = false;
  EXPECT_FALSE(known_demand(knowing({{"launch", day(120), {}, 2.0, 0}}), history, 40));
  EXPECT_TRUE(known_demand(knowing({}), history, 40));
}

}  // namespace
}  // namespace plimsoll
