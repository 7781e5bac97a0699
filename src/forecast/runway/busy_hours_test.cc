#include "forecast/runway/demand_growth.h"

#include <gmock/gmock.h>

#include "forecast/demand/token_load.h"

namespace plimsoll {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Two weeks of hours: 20 chats/s of 500 tokens by day and 2 by night, and batches of 9,000 tokens.
struct DayAndNight {
  double batches_by_day = 0;
  double batches_by_night = 1.5;
  bool by_routes = true;
};

Route route_of(const std::string& name, double requests_per_s, double prompt, double answer) {
  Route route;
  route.name = name;
  route.requests_per_s = requests_per_s;
  route.prompt_tokens = prompt;
  route.output_tokens = answer;
  return route;
}

History history_of(const DayAndNight& of) {
  History history;
  history.step_s = 3600;
  std::vector<double> chats, batches;
  for (std::size_t hour = 0; hour < 14 * 24; ++hour) {
    const bool is_day = hour % 24 >= 8;
    chats.push_back(is_day ? 20 : 2);
    batches.push_back(is_day ? of.batches_by_day : of.batches_by_night);
  }
  const auto sums = [&](double per_chat, double per_batch) {
    std::vector<double> all;
    for (std::size_t i = 0; i < chats.size(); ++i)
      all.push_back(per_chat * chats[i] + per_batch * batches[i]);
    return all;
  };
  const auto add = [&](const std::string& name, double per_chat, double per_batch) {
    if (of.by_routes) {
      history.series.push_back({name, "chat", sums(per_chat, 0)});
      history.series.push_back({name, "batch", sums(0, per_batch)});
    } else {
      history.series.push_back({name, "", sums(per_chat, per_batch)});
    }
  };
  add("requests_per_s", 1, 1);
  add("prompt_tokens_per_s", 500, 9000);
  add("output_tokens_per_s", 150, 300);
  return history;
}

ForecastRequest ahead_of(const DayAndNight& of) {
  ForecastRequest request;
  request.baseline = {route_of("chat", 20, 500, 150), route_of("batch", 1, 9000, 300)};
  request.forecast = request.baseline;
  request.history.horizon_days = 14;
  const History past = history_of(of);
  const DemandHistory demand = demand_of_past(past, "h.csv", request.forecast).value();
  std::vector<DemandOutlook> outlooks = look_ahead(demand, request.history).value();
  const auto routes = look_ahead_routes(demand, outlooks).value();
  EXPECT_TRUE(continue_routes(outlooks, routes, &request));
  EXPECT_TRUE(add_busy_hours(past, demand, outlooks, &request));
  return request;
}

double load_of(const std::vector<Route>& routes, Resource resource) {
  return at(demand_of(flows_of(routes)), resource).value_or(0);
}

TEST(BusyHours, are_chats_by_day_and_batches_by_night_two_of_them) {
  for (const bool by_routes : {true, false}) {
    const ForecastRequest request = ahead_of({.by_routes = by_routes});
    ASSERT_THAT(request.scenarios, SizeIs(2)) << by_routes;  // answers peak with requests
    const std::vector<Route>& day = request.scenarios[0].hour;
    const std::vector<Route>& night = request.scenarios[1].hour;
    EXPECT_NEAR(load_of(day, Resource::requests), 20, 0.2);
    EXPECT_NEAR(load_of(day, Resource::prompt_tokens), 20 * 500, 100);
    EXPECT_NEAR(load_of(night, Resource::prompt_tokens), 2 * 500 + 1.5 * 9000, 150);
    EXPECT_NEAR(load_of(night, Resource::requests), 3.5, 0.05);
    EXPECT_NEAR(load_of(night, Resource::output_tokens), 2 * 150 + 1.5 * 300, 10);
    if (!by_routes) continue;
    EXPECT_NEAR(day[1].requests_per_s, 0, 1e-6);
    EXPECT_NEAR(night[1].requests_per_s, 1.5, 0.02);
    EXPECT_NEAR(night[1].prompt_tokens, 9000, 10);
  }
}

TEST(BusyHours, is_one_peak_of_all_none) {
  EXPECT_THAT(ahead_of({.batches_by_day = 1.5, .batches_by_night = 0.1}).scenarios, IsEmpty());
}

// What providers answer is the same at any hour of the deployment.
TEST(BusyHours, do_routes_of_providers_stay_as_the_forecast_has_them) {
  ForecastRequest request;
  request.baseline = {route_of("chat", 20, 500, 150), route_of("batch", 1, 9000, 300),
                      route_of("bought", 7, 100, 100)};
  request.baseline.back().from_provider = true;
  request.forecast = request.baseline;
  request.history.horizon_days = 14;
  History past = history_of({});
  for (const char* column : {"requests_per_s", "prompt_tokens_per_s", "output_tokens_per_s"})
    past.series.push_back({column, "bought", std::vector<double>(past.size(), 7)});
  const DemandHistory demand = demand_of_past(past, "h.csv", request.forecast).value();
  std::vector<DemandOutlook> outlooks = look_ahead(demand, request.history).value();
  const auto routes = look_ahead_routes(demand, outlooks).value();
  ASSERT_TRUE(continue_routes(outlooks, routes, &request));
  ASSERT_TRUE(add_busy_hours(past, demand, outlooks, &request));
  ASSERT_THAT(request.scenarios, SizeIs(2));
  EXPECT_EQ(request.scenarios[1].hour[2].requests_per_s, request.forecast[2].requests_per_s);
}

}  // namespace
}  // namespace plimsoll
