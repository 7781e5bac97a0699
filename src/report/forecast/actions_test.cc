// Are dates and verdicts of one mind, and is what costs nothing named beside what does?
#include <gmock/gmock.h>

#include "base/calendar.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Requests that take `demand` of 100/s.
ForecastReport requests_at(double demand) {
  ForecastReport report;
  SheetRow& row = report.headroom.rows.emplace_back();
  row.forecast_p95 = demand;
  row.capacity = 100;
  report.headroom.binding = Resource::requests;
  return report;
}

// The chance to have run out by the end of each day from 1970-01-01.
void add_days(const std::vector<double>& chance, ForecastReport* report) {
  RunwaySheet& sheet = report->runway.emplace();
  sheet.dated = true;
  sheet.window_s = kDayS;
  Runway& runway = sheet.rows.emplace_back().runway;
  runway.known = true;
  runway.step_s = kDayS;
  runway.chance = chance;
}

TEST(DecisionDates, SaysAlreadyOnlyOfWhatIsAboveItsLineToday) {
  ForecastReport report = requests_at(95);
  add_days({0.6, 0.7}, &report);
  EXPECT_THAT(first_sentence(decision_of(report)),
              StartsWith("Requests/s exceed capacity by 1970-01-01 (70.0 % chance)"));
  report.runway->rows[0].is_over_now = true;
  EXPECT_THAT(first_sentence(decision_of(report)),
              StartsWith("Requests/s exceed capacity already"));
  report.runway->rows[0].is_over_now = false;
  report.runway->now_s = kDayS;  // of a forecast that is looked at later
  EXPECT_THAT(first_sentence(decision_of(report)),
              StartsWith("Requests/s exceed capacity already"));
}

// A launch on the last days of the horizon: no month of the calendar has ended.
TEST(DecisionDates, SaysHowLikelyItIsWithinTheHorizonWhereNoDateIsLikely) {
  ForecastReport report = requests_at(120);
  add_days({0, 0, 0.04}, &report);
  report.runway->rows[0].outlook.step_s = kDayS;
  report.runway->rows[0].outlook.point = {80, 80, 80};
  EXPECT_THAT(forecast_verdict(report),
              HasSubstr("the capacity is 100; within the horizon, to 1970-01-04, the chance is "
                        "4.00 %"));
}

// A switch that costs nothing, beside an order.
TEST(Actions, NameAFreeLeverThatIsEnough) {
  ForecastReport report = requests_at(104);
  report.gpus = 2;
  add_days({0, 0.2, 0.6, 0.9}, &report);
  GpuPlan& plan = report.runway->gpu_plan;
  plan.steps.resize(1);
  plan.add_gpus = 1;
  plan.order.by_s = kDayS;
  plan.runway = report.runway->rows[0].runway;
  LeverResult& lever = report.levers.emplace_back();
  lever.lever.name = "KV cache in 8 bits";
  lever.lever.kind = LeverKind::smaller_cache;
  lever.lever.changes_answers = true;
  lever.usd_per_month = 0;
  lever.more = 0.1;
  lever.line.factor = 1.06;
  lever.runway = plan.runway;
  EXPECT_THAT(action_of(report), HasSubstr(", or try KV cache in 8 bits, which is free and likely "
                                           "enough, once its answers are evaluated"));
  lever.runway.chance = {0, 0, 0.3, 0.4};
  EXPECT_THAT(action_of(report),
              HasSubstr("likely enough (until 1970-01-03 with 90 % confidence)"));
  lever.runway.chance = {0, 0, 0, 0.05};
  EXPECT_THAT(action_of(report), HasSubstr("which is free and enough, once"));
  lever.usd_per_month = 100;
  EXPECT_THAT(action_of(report), Not(HasSubstr("or try")));
  lever.usd_per_month = 0;
  lever.line.factor = 0.99;
  EXPECT_THAT(action_of(report), Not(HasSubstr("or try")));
}

}  // namespace
}  // namespace plimsoll
