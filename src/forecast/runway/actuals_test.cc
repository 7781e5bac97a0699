#include "forecast/runway/actuals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/line_reader.h"

namespace plimsoll {
namespace {

using testing::DoubleEq;
using testing::HasSubstr;
using testing::Optional;

History what_came(const std::string& text) {
  return read_history(LineReader::over(text, "came.csv").value()).value();
}

// A chat route of 30 requests/s, a third of them retried, that finds half of its prompts in the
// cache; and an agent of 20.
ForecastRequest what_was_said() {
  ForecastRequest request;
  Route chat;
  chat.name = "chat";
  chat.requests_per_s = 30;
  chat.prompt_tokens = 1000;
  chat.cached_share = 0.5;
  chat.output_tokens = 100;
  chat.retry_share = 1.0 / 3;
  Route agent = chat;
  agent.name = "agent";
  agent.requests_per_s = 20;
  agent.cached_share = 0;
  agent.retry_share = 0;
  request.forecast = {chat, agent};
  return request;
}

HeadroomSheet sheet_of(Resource resource, double forecast, std::optional<Interval> band) {
  HeadroomSheet headroom;
  headroom.rows.resize(1);
  headroom.rows[0].resource = resource;
  headroom.rows[0].forecast_p95 = forecast;
  headroom.rows[0].forecast_band = band;
  return headroom;
}

const ActualRow& row_named(const Actuals& actuals, std::string_view name,
                           std::string_view route = "") {
  for (const ActualRow& row : actuals.rows) {
    if (row.name == name && row.route == route) return row;
  }
  throw std::out_of_range(std::string(name));
}

// Of 0 to 20 requests/s by steps of a minute the p95 is 19.
TEST(Actuals, is_the_p95_of_what_came_set_against_the_forecast) {
  std::string text = "time,requests,e2e_p99_ms\n";
  for (int i = 0; i <= 20; ++i) {
    text += std::to_string(60 * i) + "," + std::to_string(60 * i) + ",1\n";
  }
  const auto headroom = sheet_of(Resource::requests, 20, Interval{18, 22});
  const auto actuals = compare_actuals(what_came(text), "came.csv", what_was_said(), headroom);
  ASSERT_TRUE(actuals) << format(actuals.error());
  const ActualRow& row = row_named(*actuals, "requests_per_s");
  EXPECT_DOUBLE_EQ(row.actual, 19);
  EXPECT_THAT(row.error(), Optional(testing::DoubleNear(-0.05, 1e-12)));
  EXPECT_THAT(row.inside(), Optional(true));
  // Nothing was simulated, so nothing was said of latencies.
  EXPECT_EQ(row_named(*actuals, "e2e_p99_ms").forecast, std::nullopt);
  EXPECT_EQ(actuals->most_wrong(), &row);
}

TEST(Actuals, are_routes_cache_and_retries_shares_of_the_whole_file) {
  const auto actuals = compare_actuals(
      what_came("time,route,requests,prompt_tokens,cached_prompt_tokens,retries,ttft_p99_ms\n"
                "0,chat,30,9000,900,6,100\n0,agent,10,1000,100,0,700\n"
                "60,chat,30,9000,900,6,100\n60,agent,10,1000,100,0,700\n"),
      "came.csv", what_was_said(), sheet_of(Resource::prompt_tokens, 300, {}));
  ASSERT_TRUE(actuals) << format(actuals.error());
  // Said: 40 attempts of chat and 20 of the agent; 20k of 60k tokens cached; 10 of 60 are retries.
  EXPECT_DOUBLE_EQ(*row_named(*actuals, "request_share", "chat").forecast, 2.0 / 3);
  EXPECT_DOUBLE_EQ(row_named(*actuals, "request_share", "chat").actual, 0.75);
  EXPECT_DOUBLE_EQ(*row_named(*actuals, "cached_share").forecast, 1.0 / 3);
  EXPECT_DOUBLE_EQ(row_named(*actuals, "cached_share").actual, 0.1);
  EXPECT_DOUBLE_EQ(*row_named(*actuals, "retry_share").forecast, 1.0 / 6);
  EXPECT_DOUBLE_EQ(row_named(*actuals, "retry_share").actual, 0.15);
  EXPECT_DOUBLE_EQ(row_named(*actuals, "ttft_p99_ms").actual, 700);  // of the worse route
  // Those from the cache are not computed: 9,000 of 10,000 tokens in a minute.
  EXPECT_DOUBLE_EQ(row_named(*actuals, "prompt_tokens_per_s").actual, 150);
  EXPECT_EQ(row_named(*actuals, "prompt_tokens_per_s").inside(), std::nullopt);
  EXPECT_EQ(actuals->most_wrong()->name, "prompt_tokens_per_s");
}

// A history of 100 quiet days, one value each, and what came after it.
struct Continued {
  DemandHistory demand;
  std::vector<DemandOutlook> outlooks;
};

Continued hundred_days() {
  History history;
  history.start_s = 20'000 * 86'400.0;
  history.step_s = 86'400;
  history.dated = true;
  history.series = {{"requests_per_s", "", {}}};
  for (int t = 0; t < 100; ++t) history.series[0].values.push_back(20 + 0.7 * (t * 37 % 11 - 5));
  HistoryRequest request;
  request.horizon_days = 20;
  Continued out{demand_in(history, "h.csv", {}).value(), {}};
  out.outlooks = look_ahead(out.demand, request).value();
  return out;
}

History came_after(const Continued& before, double days, std::vector<double> values,
                   double step_s = 86'400) {
  History came = before.demand.history;
  came.start_s = before.demand.history.end_s() + days * 86'400;
  came.step_s = step_s;
  came.series[0].values = std::move(values);
  return came;
}

TEST(Actuals, is_what_continues_a_history_compared_by_date) {
  const Continued before = hundred_days();
  const Outlook& outlook = before.outlooks.front().outlook;
  std::vector<double> medians;
  for (std::size_t h = 2; h < 12; ++h) medians.push_back(outlook.bands[h][3]);
  medians[4] = 60;
  const auto actuals = compare_actuals(came_after(before, 2, medians), "came.csv", what_was_said(),
                                       {}, &before.demand, before.outlooks);
  ASSERT_TRUE(actuals) << format(actuals.error());
  const ActualRow& row = row_named(*actuals, "requests_per_s");
  EXPECT_EQ(row.dates, 10U);
  EXPECT_EQ(row.dates_inside, 9U);
  EXPECT_EQ(row.actual, 60);
  EXPECT_EQ(row.forecast, outlook.peak(2, 12)[3]);
  EXPECT_THAT(row.inside(), Optional(false));
  // By hours, of which a whole day is a date: their mean, as the history has it.
  const auto hours =
      compare_actuals(came_after(before, 19.5, std::vector<double>(48, 20), 3600), "came.csv",
                      what_was_said(), {}, &before.demand, before.outlooks);
  EXPECT_FALSE(hours);  // the next whole day lies beyond the horizon
  const auto day =
      compare_actuals(came_after(before, 0.5, std::vector<double>(40, 20), 3600), "came.csv",
                      what_was_said(), {}, &before.demand, before.outlooks);
  ASSERT_TRUE(day) << format(day.error());
  EXPECT_EQ(row_named(*day, "requests_per_s").dates, 1U);
  EXPECT_EQ(row_named(*day, "requests_per_s").actual, 20);
}

TEST(Actuals, are_those_that_do_not_follow_the_history_refused) {
  const Continued before = hundred_days();
  const auto error = [&](const History& came) {
    const auto actuals =
        compare_actuals(came, "came.csv", what_was_said(), {}, &before.demand, before.outlooks);
    return actuals ? std::string() : format(actuals.error());
  };
  EXPECT_THAT(error(came_after(before, -3, {20, 20, 20, 20})),
              HasSubstr("came.csv begins at 2025-01-09T00:00Z, before the history ends"));
  EXPECT_THAT(error(came_after(before, 30, {20, 20})), HasSubstr("fills no step of the forecast"));
  EXPECT_THAT(error(came_after(before, 0, {20, 20}, 50'000)), HasSubstr("rows of 50000 s"));
  History seconds = came_after(before, 0, {20, 20});
  seconds.dated = false;
  EXPECT_THAT(error(seconds), HasSubstr("counts seconds, but the history has dates"));
}

TEST(Actuals, is_an_error_of_nothing_forecast_none) {
  ActualRow row;
  row.forecast = 0;
  row.actual = 5;
  EXPECT_EQ(row.error(), std::nullopt);
  EXPECT_THAT(row.distance(), Optional(DoubleEq(1)));
  row.kind = ActualKind::share;
  row.actual = 0.04;
  EXPECT_THAT(row.distance(), Optional(DoubleEq(0.04)));
  row.kind = ActualKind::latency;
  row.actual = 0;
  EXPECT_THAT(row.distance(), Optional(DoubleEq(0)));
}

TEST(Actuals, are_unknown_columns_refused) {
  const auto actuals = compare_actuals(what_came("time,requests,retrys\n0,1,1\n60,1,1\n"),
                                       "came.csv", what_was_said(), {});
  ASSERT_FALSE(actuals);
  EXPECT_THAT(format(actuals.error()), HasSubstr("did you mean \"retries\"?"));
}

}  // namespace
}  // namespace plimsoll
