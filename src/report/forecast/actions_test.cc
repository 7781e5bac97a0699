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
  EXPECT_THAT(action_of(report), Not(HasSubstr("or try")));  // it helps for no day
  lever.runway.chance = {0, 0, 0.3, 0.4};
  EXPECT_THAT(action_of(report), Not(HasSubstr("or try")));  // for hardly any
  lever.runway.chance = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.4};
  EXPECT_THAT(action_of(report), HasSubstr(", or try KV cache in 8 bits, which is free and enough "
                                           "until 1970-01-10 (90 % confidence); evaluate its "
                                           "answers first"));
  lever.more_interval = Interval{-0.02, 0.21};
  EXPECT_THAT(action_of(report),
              HasSubstr("until 1970-01-10 (90 % confidence; its gain is uncertain); evaluate"));
  lever.more_interval.reset();
  lever.runway.chance = {0, 0, 0, 0.05};
  EXPECT_THAT(action_of(report), HasSubstr("which is free and enough; evaluate"));
  lever.usd_per_month = 100;
  EXPECT_THAT(action_of(report), Not(HasSubstr("or try")));
  lever.usd_per_month = 0;
  lever.line.factor = 0.99;
  EXPECT_THAT(action_of(report), Not(HasSubstr("or try")));
}

// Nothing of what a lever is enough for is left to the model's error, as nothing of an order is.
TEST(Actions, NameAFreeLeverAsEnoughOnlyAtTheSlowEndToo) {
  ForecastReport report = requests_at(104);
  PeakCheck& peak = report.headroom.forecast.emplace();
  peak.line = {0.96, {0.95, 0.97}, {}, {}, true, true};
  peak.judged = Interval{0.86, 1.05};
  report.headroom.binding = Resource::queue_delay;
  LeverResult& lever = report.levers.emplace_back();
  lever.lever = {"chunks of 512 tokens", {}};
  lever.usd_per_month = 0;
  lever.more = 0.1;
  lever.line = {1.06, {1.05, 1.07}, {}, {}, true, true};
  EXPECT_EQ(
      action_of(report),
      "Try chunks of 512 tokens, which is free and enough as simulated, but not if real steps are "
      "as slow as the model's error allows");
  lever.line.factor = 1.2;
  EXPECT_EQ(action_of(report), "Try chunks of 512 tokens, which is free and enough");
}

// The model's error and a loss take GPUs beyond those for the demand, and an order says so.
TEST(Actions, SayWhatEachPartOfAnOrderIsFor) {
  ForecastReport report = requests_at(104);
  report.gpus = 4;
  SheetRow& gpus = report.headroom.rows.emplace_back();
  gpus.resource = Resource::gpus;
  gpus.forecast_p95 = 7;
  report.headroom.gpus_at_slow_end = 8;
  EXPECT_EQ(action_of(report), "Add 4 GPUs: 3 for the demand and 1 to cover the model's error");
  LossPlan& loss = report.losses.emplace_back();
  loss.loss = {LossKind::zones, 3};
  loss.gpus = 12;
  loss.add_gpus = 8;
  EXPECT_EQ(action_of(report),
            "Add 8 GPUs: 3 for the demand, 1 to cover the model's error and 4 to survive the loss "
            "of one of 3 zones");
  report.headroom.rows[0].forecast_p95 = 90;
  gpus.forecast_p95 = 4;
  report.losses.clear();
  EXPECT_EQ(action_of(report), "Add 4 GPUs to cover the model's error");
}

// An order of today that comes after the demand is no help in time.
TEST(Actions, SayThatAnOrderComesTooLate) {
  ForecastReport report = requests_at(104);
  report.gpus = 2;
  report.request.history.lead_time_days = 5;
  report.request.history.cold_start_s = 0;
  add_days({0, 0, 0.6, 0.9}, &report);
  GpuPlan& plan = report.runway->gpu_plan;
  plan.steps.resize(1);
  plan.add_gpus = 1;
  plan.order = {-3 * kDayS, true, 0.9};
  EXPECT_EQ(action_of(report),
            "Order 1 GPU now (90 % confidence); the GPUs are needed from 1970-01-03, but serve "
            "from 1970-01-06 at the earliest (90.0 % chance this is too late)");
  plan.order.by_s = -5 * kDayS;
  EXPECT_THAT(action_of(report),
              HasSubstr("; the GPUs are needed now, but serve from 1970-01-06 at the earliest"));
}

// Nobody can order a delay: what is short behind it, or another router, is what helps.
TEST(Actions, OfAQueueDelayAreForWhatMakesRequestsWait) {
  ForecastReport report = requests_at(95);
  SheetRow& delay = report.headroom.rows.emplace_back();
  delay.resource = Resource::queue_delay;
  delay.forecast_p95 = 45'000;
  delay.capacity = 800;
  report.headroom.binding = Resource::queue_delay;
  EXPECT_EQ(action_of(report), "Order more capacity for requests/s");
  LeverResult& lever = report.levers.emplace_back();
  lever.lever = {"routing to the least loaded", {"--routing-policy=least-loaded"}};
  lever.line.factor = 1.46;
  lever.more = 0.46;
  lever.usd_per_month = 0;
  EXPECT_EQ(action_of(report), "Try routing to the least loaded, which is free and enough");
  LoadProbe& probe = report.headroom.forecast.emplace().probe;
  probe.answer = Answer::unclear;
  probe.summary.bottleneck.lever = {Remedy::spread_requests, 3, 1, 0.8};
  EXPECT_EQ(action_of(report),
            "Spread the requests over all instances (--routing-policy least-loaded), which handles "
            "146 % of the forecast peak");
}

// Two more instances would hold the peak by chance; the table of levers says that one is no gain.
TEST(Actions, OrderNoInstancesForARouterThatLeavesThemIdle) {
  ForecastReport report = requests_at(104);
  report.gpus = 2;
  SheetRow& gpus = report.headroom.rows.emplace_back();
  gpus.resource = Resource::gpus;
  gpus.forecast_p95 = 4;
  LoadProbe& probe = report.headroom.forecast.emplace().probe;
  probe.answer = Answer::fails;
  EXPECT_THAT(action_of(report), StartsWith("Add 2 GPUs"));
  const std::string spread =
      "Spread the requests over all instances (--routing-policy least-loaded), and count the GPUs "
      "after that";
  report.levers.resize(2);
  report.levers[0].lever.flags = {"--num-instances=3"};
  report.levers[1].lever.flags = {"--routing-policy=least-loaded"};
  report.levers[0].line.factor = report.levers[1].line.factor = 0.94;
  EXPECT_EQ(action_of(report), spread);
  report.levers[0].more = 0.2;
  EXPECT_THAT(action_of(report), StartsWith("Add 2 GPUs"));
  probe.summary.bottleneck.lever = {Remedy::spread_requests, 2, 1, 0.9};
  EXPECT_EQ(action_of(report), spread);
}

}  // namespace
}  // namespace plimsoll
