// Is a recorded answer of Prometheus alone a whole request, with the routes that it counts?
#include "forecast/runway/counted_routes.h"

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/runway/demand_growth.h"
#include "forecast/runway/demand_history.h"
#include "read_demand.h"

namespace plimsoll {
namespace {

using testing::HasSubstr;

constexpr int kRecordedHours = 24 * 28;

/// One counter of one instance over four weeks, busier by day; `per_request` of each request.
std::string rising_counter(const char* metric, const char* labels, double per_hour,
                           double per_request) {
  std::string text = fmt::format(R"({{"metric":{{"__name__":"{}"{}}},"values":[)", metric, labels);
  double sum = 0;
  for (int hour = 0; hour <= kRecordedHours; ++hour) {
    text += fmt::format("{}[{},\"{}\"]", hour == 0 ? "" : ",", 1'780'272'000 + 3600 * hour,
                        std::floor(sum) * per_request);
    sum += per_hour * (1 + 0.5 * std::sin(hour * 0.2618) + 0.0005 * hour);
  }
  return text + "]}";
}

std::string answer_with(const std::vector<std::string>& series) {
  return fmt::format(R"({{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}})",
                     fmt::join(series, ","));
}

std::string recorded_file(const std::string& text) {
  const std::string path = testing::TempDir() + "counted_routes_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  std::ofstream(path) << text;
  return path;
}

Result<std::vector<Route>> counted_in(const HistoryRequest& history) {
  TRY(past, read_past(history));
  return counted_routes(past, history.path);
}

// Followed as the verb does.
ForecastRequest followed(ForecastRequest request) {
  const DemandHistory demand = read_demand(request.history, request.forecast).value();
  std::vector<DemandOutlook> outlooks = look_ahead(demand, request.history).value();
  const auto routes = look_ahead_routes(demand, outlooks).value();
  EXPECT_TRUE(continue_routes(outlooks, routes, &request));
  return request;
}

TEST(CountedRoutes, are_one_route_with_the_mean_lengths_of_all_requests) {
  const auto request = forecast_of_history(
      recorded_file(answer_with({rising_counter("vllm:request_success_total", "", 7200, 1),
                                 rising_counter("vllm:prompt_tokens_total", "", 7200, 1000),
                                 rising_counter("vllm:prefix_cache_hits_total", "", 7200, 250),
                                 rising_counter("vllm:generation_tokens_total", "", 7200, 200)})),
      counted_in);
  ASSERT_TRUE(request) << format(request.error());
  ASSERT_EQ(request->baseline.size(), 1U);
  const Route& all = request->baseline.front();
  EXPECT_EQ(all.name, "all");
  EXPECT_NEAR(all.prompt_tokens, 1000, 1e-6);
  EXPECT_NEAR(all.output_tokens, 200, 1e-6);
  EXPECT_NEAR(all.cached_share, 0.25, 1e-6);
  EXPECT_FALSE(request->scenarios.empty());
  EXPECT_THAT(note_on_counted_routes(*request), HasSubstr("vary by 50.0 %"));
  const Route ahead = followed(*request).forecast.front();
  EXPECT_NEAR(ahead.prompt_tokens, 1000, 5);
  EXPECT_NEAR(ahead.output_tokens, 200, 2);
  EXPECT_GT(ahead.requests_per_s, 3);  // 2 a second, 3 by day, growing
  EXPECT_LT(ahead.requests_per_s, 5);
}

TEST(CountedRoutes, are_those_that_a_label_tells_apart) {
  const char* const small = R"(,"model_name":"small")";
  const char* const large = R"(,"model_name":"large")";
  const std::string path =
      recorded_file(answer_with({rising_counter("vllm:request_success_total", small, 7200, 1),
                                 rising_counter("vllm:prompt_tokens_total", small, 7200, 500),
                                 rising_counter("vllm:generation_tokens_total", small, 7200, 50),
                                 rising_counter("vllm:request_success_total", large, 720, 1),
                                 rising_counter("vllm:prompt_tokens_total", large, 720, 4000),
                                 rising_counter("vllm:generation_tokens_total", large, 720, 400)}));
  const auto request = parse_forecast_request(
      "history: {file: " + path +
          ", route_label: model_name}\n"
          "scenarios: {more: {routes: [large], times: {requests_per_s: 2}}}\n",
      "f.yaml", {}, counted_in);
  ASSERT_TRUE(request) << format(request.error());
  ASSERT_EQ(request->baseline.size(), 2U);
  EXPECT_EQ(request->baseline[0].name, "large");
  EXPECT_NEAR(request->baseline[0].prompt_tokens, 4000, 1e-6);
  EXPECT_NEAR(request->baseline[1].output_tokens, 50, 1e-6);
  EXPECT_NEAR(request->baseline[1].requests_per_s / request->baseline[0].requests_per_s, 10, 0.1);
  EXPECT_THAT(note_on_counted_routes(*request), HasSubstr("2 routes"));
}

TEST(CountedRoutes, need_counters_of_tokens) {
  const std::string path =
      recorded_file(answer_with({rising_counter("vllm:request_success_total", "", 7200, 1)}));
  const auto request = forecast_of_history(path, counted_in);
  ASSERT_FALSE(request);
  EXPECT_THAT(format(request.error()),
              HasSubstr("error: no routes are stated, and the history does not count "
                        "prompt_tokens, output_tokens\n  add vllm:prompt_tokens_total and "
                        "vllm:generation_tokens_total to the query"));
  const auto stated = parse_forecast_request(
      "history: {file: " + path +
          "}\n"
          "routes: {chat: {requests_per_s: 1, prompt_tokens: 900, output_tokens: 90}}\n",
      "f.yaml", {}, counted_in);
  ASSERT_TRUE(stated) << format(stated.error());
  EXPECT_FALSE(stated->routes_from_history);
  EXPECT_EQ(followed(*stated).forecast.front().prompt_tokens, 900);
}

TEST(CountedRoutes, need_a_request) {
  const auto request = forecast_of_history(
      recorded_file(answer_with({rising_counter("vllm:request_success_total", "", 0, 1),
                                 rising_counter("vllm:prompt_tokens_total", "", 0, 1),
                                 rising_counter("vllm:generation_tokens_total", "", 0, 1)})),
      counted_in);
  ASSERT_FALSE(request);
  EXPECT_THAT(format(request.error()), HasSubstr("the history counts no request"));
}

TEST(CountedRoutes, come_after_what_is_wrong_in_the_file) {
  const auto request = parse_forecast_request(
      "history: {file: nowhere.json}\nslo: nonsense\nscenarios: {more: {routes: [x], times: "
      "{requests_per_s: 2}}}\n",
      "f.yaml", {}, counted_in);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().diagnostics.size(), 1U) << format(request.error());
}

}  // namespace
}  // namespace plimsoll
