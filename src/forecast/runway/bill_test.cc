#include "forecast/runway/bill.h"

#include <cmath>

#include <gtest/gtest.h>

#include "random/distributions.h"

namespace plimsoll {
namespace {

constexpr double kNovember16 = 1'794'787'200;  // 2026-11-16T00:00Z
constexpr double kUsdPerDay = 24.0 / 730;      // of a dollar for 730 hours

// Days around 1, of which each differs by a fifth and all of a path by a twentieth.
Outlook noisy_days(std::size_t horizon) {
  Outlook outlook;
  outlook.start_s = kNovember16;
  outlook.step_s = kDayS;
  outlook.point.assign(horizon, 1);
  outlook.bands.resize(horizon);
  for (std::uint64_t k = 0; k < 2000; ++k) {
    RandomStream stream(1, Purpose::forecast_path, k);
    const double level = 1 + 0.05 * draw_normal(stream);
    std::vector<double>& path = outlook.paths.emplace_back();
    for (std::size_t h = 0; h < horizon; ++h) path.push_back(level + 0.2 * draw_normal(stream));
  }
  return outlook;
}

TEST(Bill, do_errors_of_days_cancel_and_those_of_the_level_not) {
  const Outlook bill = bill_of(noisy_days(46), {}, true, 0);
  const BandQuantiles december = bill.bands[45];  // the 31st
  const double deviation = std::sqrt(0.05 * 0.05 + 0.2 * 0.2 / 31);
  EXPECT_NEAR(december[3], 31 * kUsdPerDay, 0.005);
  EXPECT_NEAR(december[6] - december[3], 1.645 * deviation * 31 * kUsdPerDay, 0.01);
  EXPECT_NEAR(bill.point[45], 31 * kUsdPerDay, 1e-9);
}

TEST(Bill, does_a_month_begin_with_what_it_has_cost_and_end_with_the_calendar) {
  const std::vector<double> past(40, 3);
  const Outlook bill = bill_of(noisy_days(46), past, true, 0);
  EXPECT_NEAR(bill.point[0], (15 * 3 + 1) * kUsdPerDay, 1e-9);
  EXPECT_NEAR(bill.point[14], (15 * 3 + 15) * kUsdPerDay, 1e-9);  // 30 November
  EXPECT_NEAR(bill.point[15], 1 * kUsdPerDay, 1e-9);
  // Of five known days of the fifteen, three times as much.
  const Outlook few = bill_of(noisy_days(46), std::span(past).first(5), true, 0);
  EXPECT_NEAR(few.point[0], bill.point[0], 1e-9);
  // Without dates a month has 730 hours.
  const Outlook undated = bill_of(noisy_days(46), past, false, 0);
  EXPECT_NEAR(undated.point[29], 30 * kUsdPerDay, 1e-9);
  EXPECT_NEAR(undated.point[31], 1 * kUsdPerDay, 1e-9);
}

// The chance that a month costs more than four per cent above what is expected, and the day.
TEST(Bill, is_a_budget_spent_on_the_last_days_of_a_month) {
  const Outlook bill = bill_of(noisy_days(46), std::vector<double>(15, 1), true, 0);
  const Runway runway = crossing(bill, 1.04 * 31 * kUsdPerDay);
  const double z = 0.04 / std::sqrt(0.05 * 0.05 + 0.2 * 0.2 / 31);
  EXPECT_NEAR(runway.probability(), 0.5 * std::erfc(z / std::sqrt(2)), 0.03);
  EXPECT_GT(*runway.time_at(0.1), kNovember16 + 43 * kDayS);
}

TEST(Bill, are_whole_months_of_the_past_added_up_by_the_clock) {
  History history;
  history.dated = true;
  history.step_s = kDayS;
  history.zone_s = 3600;
  history.start_s = kNovember16 - 46 * kDayS - 3600;                     // 1 October there
  history.series = {{"usd_per_month", "", std::vector<double>(78, 2)}};  // to 17 December
  std::vector<double> past = history.series[0].values;
  past[0] = 3;
  const std::vector<PastBill> bills = past_bills(history, past);
  ASSERT_EQ(bills.size(), 2U);
  EXPECT_EQ(bills[0].month, "2026-10");
  EXPECT_NEAR(bills[0].usd, (31 * 2 + 1) * kUsdPerDay, 1e-9);
  EXPECT_EQ(bills[1].month, "2026-11");
  EXPECT_NEAR(bills[1].usd, 30 * 2 * kUsdPerDay, 1e-9);
  history.start_s += kDayS;
  EXPECT_EQ(past_bills(history, past).front().month, "2026-11");  // October is not whole
}

TEST(Bill, is_the_mean_of_a_path_surer_than_its_days) {
  const BandQuantiles mean = dearest_month(noisy_days(28));
  EXPECT_NEAR(mean[6] / mean[3], 1 + 1.645 * std::sqrt(0.05 * 0.05 + 0.2 * 0.2 / 28), 0.01);
}

// A launch on day 40 of 60: the thirty days that cost the most hold the twenty after it.
TEST(Bill, is_the_dearest_month_that_after_a_launch) {
  Outlook outlook;
  outlook.step_s = kDayS;
  outlook.point.resize(60);
  outlook.paths = {std::vector<double>(60, 1)};
  std::fill(outlook.paths[0].begin() + 40, outlook.paths[0].end(), 2);
  EXPECT_NEAR(dearest_month(outlook)[3], (10 * 1 + 20 * 2) / 30.0, 1e-9);
}

}  // namespace
}  // namespace plimsoll
