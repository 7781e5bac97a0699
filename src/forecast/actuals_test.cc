#include "forecast/actuals.h"

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
