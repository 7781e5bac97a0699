// Does a forecast say first whether something runs out, and when?
#include <gmock/gmock.h>

#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kDay = 86'400;

// Requests that take `demand` of 100/s.
ForecastReport forecast_of(double demand) {
  SheetRow row;
  row.forecast_p95 = demand;
  row.capacity = 100;
  ForecastReport report;
  report.request.name = "growth";
  report.headroom.rows = {row};
  report.headroom.binding = Resource::requests;
  return report;
}

// The chance to have run out by the end of each day from 1970-01-01.
void add_runway(std::vector<double> chance, ForecastReport* report) {
  RunwayRow row;
  row.runway.known = true;
  row.runway.step_s = kDay;
  row.runway.chance = std::move(chance);
  report->runway.emplace();
  report->runway->dated = true;
  report->runway->window_s = kDay;
  report->runway->rows = {row};
}

TEST(ForecastDecision, NeverSaysRunOutFirstWhereNothingDoes) {
  ForecastReport report = forecast_of(72.5);
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  EXPECT_EQ(forecast_verdict(report),
            "The forecast fits: requests/s come nearest to their capacity, at 72.5 % of 100. "
            "Headroom is 37.9 %.");
  EXPECT_THAT(forecast_text(report, {.markup = true}), Not(HasSubstr("run out first")));
}

TEST(ForecastDecision, HasTheDateInItsFirstSentenceWhereSomethingRunsOut) {
  ForecastReport report = forecast_of(95);
  add_runway({0, 0.2, 0.6, 0.7}, &report);
  const Decision d = decision_of(report);
  EXPECT_EQ(d.date, "1970-01-03");
  EXPECT_THAT(first_sentence(d), StartsWith("Requests/s exceed capacity by 1970-01-03 (50 % "
                                            "chance; 10 % by 1970-01-02)"));
  EXPECT_THAT(forecast_json(report), HasSubstr("\"date\": \"1970-01-03\""));
}

TEST(ForecastDecision, AdvisesNothingWhereTheHistoryIsTooShortToTell) {
  ForecastReport report = forecast_of(127);
  report.headroom.rows[0].baseline_p95 = 30;
  add_runway({}, &report);
  report.runway->rows[0].runway.known = false;
  report.runway->rows[0].outlook.too_short = true;
  report.runway->rows[0].outlook.enough_values = 23;
  report.deployment = {"1 x H100"};
  report.request.forecast.emplace_back().cached_share = 0.6;  // another doubt is not the reason
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::not_shown);
  EXPECT_THAT(
      forecast_verdict(report),
      AllOf(StartsWith("Whether requests/s exceed capacity is not known, as the history is too "
                       "short to test a forecast (23 values are needed); "),
            HasSubstr("Give a history of 23 values or more"), Not(HasSubstr("rder"))));
  report.headroom.rows[0].baseline_p95 = 110;  // that is no guess
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::no);
}

TEST(ForecastDecision, IsDowngradedByASmallChanceAndByAWideBand) {
  ForecastReport report = forecast_of(80);
  add_runway({0, 0.2, 0.3}, &report);
  EXPECT_THAT(forecast_verdict(report), AllOf(StartsWith("The forecast likely fits"),
                                              HasSubstr("the chance that something runs out is")));
  report.runway.reset();
  report.headroom.rows[0].forecast_band = Interval{70, 110};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::likely);
}

TEST(ForecastDecision, HasOneDoubtInItsFirstSentenceAndTheOthersInTheNext) {
  ForecastReport report = forecast_of(80);
  report.headroom.interrupted = true;
  report.headroom.rows[0].forecast_band = Interval{70, 110};
  EXPECT_THAT(forecast_verdict(report),
              HasSubstr(", but the search was interrupted, so some tests are missing. "
                        "Also, at the high end of the forecast 110 % of the capacity is used. "));
}

TEST(ForecastDecision, SaysOnceWhatIsTooCloseToCall) {
  ForecastReport report = forecast_of(99);
  report.headroom.forecast.emplace().probe.answer = Answer::unclear;
  report.headroom.forecast->line = {1.01, {0.9, 1.1}, {}, {}, true, true};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::not_shown);
  EXPECT_THAT(forecast_verdict(report),
              AllOf(StartsWith("Whether the forecast fits is too close to call: requests/s come"),
                    HasSubstr(", as only 90.0 % of the load is handled if real steps are as slow"),
                    Not(HasSubstr("fits:"))));
  report.headroom.forecast->line.interval.low = 0;
  EXPECT_THAT(forecast_verdict(report),
              HasSubstr("as no load tested is handled if real steps are as slow"));
}

TEST(ForecastDecision, DoubtsACachedShareThatSessionsMayBeBehind) {
  ForecastReport report = forecast_of(50);
  report.deployment = {"1 x H100"};
  Route& route = report.request.forecast.emplace_back();
  route.cached_share = 0.3;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  route.cached_share = 0.79;
  EXPECT_THAT(forecast_verdict(report),
              HasSubstr("but 79.0 % of each prompt is assumed to be a prefix all requests share"));
  route.cached_share = 0.3;  // counted by an engine
  report.routes_ahead = {{"", RouteFigure::cached_share, 0.3, 0.3, {}}};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::likely);
  route.sessions = Sessions{4, 20, 0};  // simulated as such
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
}

TEST(ForecastDecision, TellsApartWhatReadsAlike) {
  ForecastReport report = forecast_of(112'400);
  report.headroom.rows[0].capacity = 112'000;
  EXPECT_THAT(forecast_verdict(report),
              HasSubstr("needs 112,400 requests/s, and the capacity is 112,000"));
}

TEST(ForecastDecision, DoesNotCallACertainDateAnEvenChance) {
  ForecastReport report = forecast_of(120);
  add_runway({0, 0, 1, 1}, &report);
  EXPECT_THAT(forecast_verdict(report),
              StartsWith("Requests/s exceed capacity by 1970-01-03 (100 % chance)"));
}

// The chance is what an order allows for: no doubt, no order.
TEST(ForecastDecision, IsNotDowngradedByWhatAnOrderAllowsFor) {
  ForecastReport report = forecast_of(80);
  add_runway({0, 0.05, kAcceptedRisk}, &report);
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  report.runway->rows[0].runway.chance.back() = kAcceptedRisk + 0.01;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::likely);
}

TEST(ForecastDecision, SaysOfAnOrderThatIsLateHowLikelyThatIsTooLate) {
  ForecastReport report = forecast_of(120);
  add_runway({0, 0.2, 0.6}, &report);
  RunwayRow& row = report.runway->rows[0];
  row.order = {-kDay, true, 0.213};
  EXPECT_EQ(order_text(*report.runway, row), "now; 21.3 % chance it arrives too late");
}

// What is missing at the p90 of the peak, by the day on which that is one chance in ten.
TEST(ForecastDecision, OrdersAsMuchAsItsDateAllowsFor) {
  ForecastReport report = forecast_of(120);
  add_runway({0, 0.2, 0.6}, &report);
  RunwayRow& row = report.runway->rows[0];
  row.line = 100;
  row.peak[kNinety] = 135;
  row.order.by_s = kDay;
  EXPECT_EQ(decision_of(report).action,
            "Order at least 35.0 % more capacity for requests/s by 1970-01-02");
  report.runway->gpu_plan.steps.resize(1);
  report.runway->gpu_plan.add_gpus = 2;
  report.runway->gpu_plan.order.by_s = 2 * kDay;
  row.by_gpus = true;
  EXPECT_EQ(decision_of(report).action, "Order 2 GPUs by 1970-01-03 (90 % confidence)");
  row.by_gpus = false;  // a limit that more GPUs do not raise comes beside them
  row.resource = Resource::gateway_requests;
  EXPECT_EQ(decision_of(report).action,
            "Raise the gateway limit by 1970-01-02; order 2 GPUs by 1970-01-03 (90 % "
            "confidence)");
}

// Too small a budget for too large a fleet.
TEST(ForecastDecision, AdvisesASmallerFleetWhereTheBudgetIsShortAndFewerGpusHoldTheForecast) {
  ForecastReport report = forecast_of(50);
  SheetRow budget;
  budget.resource = Resource::budget;
  budget.forecast_p95 = 9000;
  budget.capacity = 7000;
  report.headroom.rows.push_back(budget);
  report.headroom.binding = Resource::budget;
  EXPECT_EQ(decision_of(report).action, "Raise the budget");
  LeverResult fewer;
  fewer.lever = {"1 fewer instance", {}, LeverKind::saves};
  fewer.line.factor = 1.75;
  fewer.gpus = 3;
  fewer.usd_per_month = -2300;
  report.levers = {fewer};
  EXPECT_EQ(decision_of(report).action,
            "Deploy 1 fewer instance: 3 GPUs handle the forecast, for $2,300 a month less");
  EXPECT_EQ(gain_per_dollar_text(fewer), "saves");
  report.levers[0].usd_per_month = -1000;
  EXPECT_THAT(decision_of(report).action, HasSubstr("; raise the budget for the rest"));
}

// Two columns, one significance.
TEST(Levers, HaveNoGainWhereTheDifferenceIsTooSmallToTell) {
  LeverResult lever;
  lever.usd_per_month = 0;
  lever.more = 0.018;
  EXPECT_EQ(more_text(lever), "within 3.00 points");
  EXPECT_EQ(gain_per_dollar_text(lever), "no gain");
  lever.more = -0.018;
  EXPECT_EQ(more_text(lever), "within 3.00 points");
  lever.more = 0.052;
  EXPECT_EQ(more_text(lever), "+5.20 points");
  EXPECT_EQ(gain_per_dollar_text(lever), "free");
  lever.more_interval = Interval{-0.01, 0.11};
  EXPECT_EQ(more_text(lever), "+5.20 [-1.00, +11.0] points");
  EXPECT_EQ(gain_per_dollar_text(lever), "uncertain");
}

// Three GPUs that hold so many times the peak.
void add_peak(double factor, ForecastReport* report) {
  SheetRow gpus;
  gpus.resource = Resource::gpus;
  gpus.forecast_p95 = 3;
  report->headroom.rows.push_back(gpus);
  report->headroom.forecast.emplace();
  report->headroom.forecast->probe.answer = Answer::holds;
  report->headroom.forecast->line = {factor, {factor, factor}, {}, {}, true, true};
}

TEST(ForecastDecision, SaysToBuyAnApiWhereOneGpuWouldBeIdle) {
  ForecastReport tiny = forecast_of(1);
  add_peak(3000, &tiny);
  EXPECT_THAT(forecast_verdict(tiny), HasSubstr("The peak takes 0.100 % of one GPU: buy an API."));
  ForecastReport large = forecast_of(1);
  add_peak(30, &large);
  EXPECT_THAT(forecast_verdict(large), Not(HasSubstr("API")));
}

TEST(ForecastDecision, IsNoWhereALossIsNotSurvived) {
  ForecastReport report = forecast_of(50);
  LossPlan plan;
  plan.loss = {LossKind::zones, 3};
  plan.gpus = 6;
  plan.add_gpus = 2;
  report.losses = {plan};
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::no);
  EXPECT_THAT(forecast_verdict(report),
              AllOf(HasSubstr("The deployment does not survive the loss of one of 3 zones at"),
                    HasSubstr("which takes 6 GPUs. Add 2 GPUs to survive the loss")));
  report.losses.front().held = 1;  // by what is left, as far as one can see
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::not_shown);
  EXPECT_THAT(forecast_verdict(report),
              AllOf(StartsWith("Whether the deployment survives the loss of one of 3 zones at"),
                    HasSubstr("is too close to call. Add 2 GPUs")));
  report.losses.front().add_gpus = 0;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::yes);
  report.losses.front().gpus = 0;
  EXPECT_EQ(decision_of(report).verdict, DecisionVerdict::no);
  EXPECT_THAT(forecast_verdict(report), HasSubstr("no number of instances is known to be enough"));
}

// Two GPUs are no answer to a loss that takes six.
TEST(ForecastDecision, AsksForALargerQuotaWhereALossTakesMoreThanCanBeHad) {
  ForecastReport report = forecast_of(50);
  add_peak(1.5, &report);
  report.headroom.rows.back().capacity = 4;
  report.gpus = 2;
  LossPlan plan;
  plan.loss = {LossKind::regions, 2};
  plan.gpus = 6;
  plan.add_gpus = 4;
  report.losses = {plan};
  EXPECT_THAT(
      forecast_verdict(report),
      HasSubstr("which takes 6 GPUs. Add 4 GPUs: 1 for the demand and 3 to survive the loss "
                "of one of 2 regions; first have the quota of GPUs raised from 4 to 6"));
  report.headroom.rows.back().capacity = 8;
  EXPECT_THAT(forecast_verdict(report), Not(HasSubstr("quota")));
}

TEST(ForecastDecision, NamesPreemptionsInTheFirstSignalAndAVersionBesideItsRoute) {
  ScenarioRow row;
  row.worse = {Resource::active_kv_tokens};
  at(row.demand, Resource::active_kv_tokens) = 90;
  at(row.capacity, Resource::active_kv_tokens) = 100;
  row.peak.emplace();
  row.peak->probe.answer = Answer::holds;
  row.peak->probe.requests = 10'000;
  EXPECT_EQ(first_signal(row, {}), "active KV tokens at 90.0 %");
  row.peak->probe.summary.cluster.preemptions = 120;
  EXPECT_EQ(first_signal(row, {}),
            "active KV tokens at 90.0 %, with 12.0 preemptions per 1k requests");
  Route route;
  route.name = "chat";
  EXPECT_EQ(title_of(route), "chat");
  route.version = "v3";
  EXPECT_EQ(title_of(route), "chat v3");
}

// Three GPUs would have done so far, and two are there.
TEST(ForecastDecision, CountsAnOrderFromWhatIsDeployedAndSaysWhatTheBillBecomes) {
  ForecastReport report = forecast_of(120);
  report.gpus = 2;
  report.usd_per_month = 4000;
  report.headroom.rows.resize(3);
  report.headroom.rows[1].resource = Resource::gpus;
  report.headroom.rows[1].baseline_p95 = 3;
  report.headroom.rows[1].forecast_p95 = 4;
  report.headroom.rows[2].resource = Resource::budget;
  report.headroom.rows[2].forecast_p95 = 8000;
  report.headroom.rows[2].capacity = 9000;
  EXPECT_EQ(decision_of(report).action, "Add 2 GPUs ($4,000 a month)");
  report.headroom.rows[2].capacity = 5000;
  EXPECT_EQ(decision_of(report).action,
            "Add 2 GPUs ($4,000 a month), which makes the bill $8,000 a month against a budget of "
            "$5,000");
}

TEST(ForecastDecision, SaysThatOddDaysAloneAreAboveTheCapacity) {
  ForecastReport report = forecast_of(150);
  report.history.emplace();
  report.history->history.step_s = kDay;
  add_runway({0, 0.6}, &report);
  RunwayRow& row = report.runway->rows[0];
  row.line = 100;
  row.peak = {20, 20, 20, 150, 150, 160, 160};
  row.outlook.bands = {{18, 18, 19, 20, 21, 22, 23}};
  row.outlook.events.odd.push_back({3, 1.9, 7, 1, false});
  EXPECT_THAT(forecast_verdict(report),
              HasSubstr("only 1 odd day like 1970-01-04 (7.00 times the usual) is above"));
  row.outlook.bands = {{18, 18, 19, 20, 21, 110, 120}};
  EXPECT_THAT(forecast_verdict(report), Not(HasSubstr("odd day")));
}

TEST(ForecastDecision, IsTheSameOnThePageInJsonAndInTheText) {
  const ForecastReport report = forecast_of(120);
  const Decision d = decision_of(report);
  EXPECT_THAT(forecast_text(report, {}),
              StartsWith("Requests/s exceed capacity; the forecast needs"));
  EXPECT_THAT(forecast_text(report, {.markup = true}),
              HasSubstr("<h1>" + first_sentence(d) + "</h1>"));
  EXPECT_THAT(forecast_json(report),
              AllOf(StartsWith("{\n  \"decision\": {\n    \"verdict\": \"no\""),
                    HasSubstr("\"answer\": \"" + decision_text(d) + "\"")));
}

}  // namespace
}  // namespace plimsoll
