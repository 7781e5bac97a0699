// Does a forecast answer by the busy hours that its sheet takes for one peak?
#include <gmock/gmock.h>

#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

PeakCheck peak_of(double handled) {
  PeakCheck peak;
  peak.line.is_known = peak.line.is_searched = true;
  peak.line.factor = handled;
  peak.line.interval = {handled, handled};
  peak.probe.answer = handled < 1 ? Answer::fails : Answer::holds;
  return peak;
}

// Requests take 60 of 100/s; the sheet and one busy hour handle so many times their peak.
ForecastReport forecast_of(double sheet, double hour) {
  SheetRow row;
  row.forecast_p95 = 60;
  row.capacity = 100;
  ForecastReport report;
  report.request.name = "growth";
  report.deployment = {"1 x H100"};
  report.gpus = 2;
  report.usd_per_month = 4000;
  report.headroom.rows = {row};
  report.headroom.binding = Resource::requests;
  report.headroom.forecast = peak_of(sheet);
  ScenarioRow night;
  night.name = "peak of prompt tokens/s";
  night.is_busy_hour = true;
  night.peak = peak_of(hour);
  at(night.demand, Resource::gpus) = hour < 1 ? 3 : 2;
  report.headroom.scenarios = {night};
  return report;
}

TEST(ForecastOfBusyHours, IsNoneHandledWhereOneIsNot) {
  const Decision d = decision_of(forecast_of(1.6, 0.7));
  EXPECT_EQ(d.verdict, DecisionVerdict::no);
  EXPECT_THAT(d.answer, StartsWith("the peak of prompt tokens/s is not handled"));
  EXPECT_EQ(d.action, "Add 1 GPU ($2,000 a month)");
}

TEST(ForecastOfBusyHours, HasTheHeadroomOfTheHardest) {
  const Decision d = decision_of(forecast_of(1.6, 1.2));
  EXPECT_EQ(d.verdict, DecisionVerdict::yes);
  EXPECT_NEAR(*d.headroom, 0.2, 1e-9);
}

TEST(ForecastOfBusyHours, SaysThatTheSheetIsHarderThanAnyOfThem) {
  const Decision d = decision_of(forecast_of(0.8, 1.2));
  EXPECT_EQ(d.verdict, DecisionVerdict::no);
  EXPECT_THAT(d.contrast, HasSubstr("each hour alone is handled"));
}

TEST(ForecastOfBusyHours, OrdersNothingWhereOneIsHandledAtNoLoad) {
  EXPECT_THAT(action_of(forecast_of(1.6, 0)), StartsWith("Relax the limits"));
}

}  // namespace
}  // namespace plimsoll
