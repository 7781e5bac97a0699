#include "forecast/runway/route_history.h"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/runway/demand_growth.h"

namespace plimsoll {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using ByStep = std::function<double(int)>;

HistorySeries series(const char* name, const char* route, int steps, const ByStep& value) {
  HistorySeries out{name, route, {}};
  for (int t = 0; t < steps; ++t) out.values.push_back(value(t));
  return out;
}

History by_step(double step_s, std::vector<HistorySeries> columns) {
  History history;
  history.start_s = 20'000 * kDayS;
  history.step_s = step_s;
  history.dated = true;
  history.series = std::move(columns);
  return history;
}

const RouteSeries* find(const std::vector<RouteSeries>& all, const char* route,
                        RouteFigure figure) {
  for (const RouteSeries& each : all) {
    if (each.route == route && each.figure == figure) return &each;
  }
  return nullptr;
}

double value_of(const std::vector<RouteOutlook>& all, const char* route, RouteFigure figure,
                double RouteOutlook::*when) {
  for (const RouteOutlook& each : all) {
    if (each.route == route && each.figure == figure) return each.*when;
  }
  ADD_FAILURE() << route << " has no such figure";
  return 0;
}

Route route_of(const char* name, double rate, double prompt, double cached, double answer) {
  Route route;
  route.name = name;
  route.requests_per_s = rate;
  route.prompt_tokens = prompt;
  route.cached_share = cached;
  route.output_tokens = answer;
  return route;
}

// Two routes by day: one keeps its shape; of the other there is more each day, with longer prompts
// of which less is cached.
History growing_agent(int days) {
  const ByStep agent = [](int t) { return kDayS * (2 + 0.05 * t); };
  const ByStep chat = [](int t) { return kDayS * (18 - 0.05 * t); };
  const auto times = [](const ByStep& a, const ByStep& b) {
    return [a, b](int t) { return a(t) * b(t); };
  };
  const auto fixed = [](double value) { return [value](int) { return value; }; };
  const ByStep prompt = [](int t) { return 1000 + 10 * t; };
  const ByStep cached = [](int t) { return 0.8 - 0.004 * t; };
  return by_step(
      kDayS, {series("requests", "chat", days, chat),
              series("prompt_tokens", "chat", days, times(chat, fixed(500))),
              series("cached_prompt_tokens", "chat", days, times(chat, fixed(250))),
              series("output_tokens", "chat", days, times(chat, fixed(100))),
              series("retries", "chat", days, fixed(0)), series("requests", "agent", days, agent),
              series("prompt_tokens", "agent", days, times(agent, prompt)),
              series("cached_prompt_tokens", "agent", days, times(agent, times(prompt, cached))),
              series("output_tokens", "agent", days, times(agent, fixed(300))),
              series("retries", "agent", days, times(agent, fixed(0.2)))});
}

ForecastRequest asked_of_two_routes() {
  ForecastRequest request;
  request.history.path = "h.csv";
  request.history.horizon_days = 20;
  request.baseline = {route_of("chat", 1, 9, 0, 9), route_of("agent", 1, 9, 0, 9)};
  request.forecast = request.baseline;
  return request;
}

TEST(RouteHistory, do_routes_become_what_the_history_makes_of_them) {
  ForecastRequest request = asked_of_two_routes();
  const DemandHistory demand = [&] {
    const History history = growing_agent(100);
    DemandHistory read = demand_in(history, "h.csv", request.forecast).value();
    read.routes = route_series(history, read.history);
    return read;
  }();
  auto outlooks = look_ahead(demand, request.history).value();
  const auto routes = look_ahead_routes(demand, outlooks);
  ASSERT_TRUE(routes) << format(routes.error());
  ASSERT_TRUE(continue_routes(outlooks, *routes, &request));

  // Prompts grow: the last of the next 20 days are the busiest.
  const Route& agent = request.forecast[1];
  EXPECT_THAT(agent.prompt_tokens, DoubleNear(2180, 100));
  EXPECT_THAT(agent.cached_share, DoubleNear(0.34, 0.02));
  EXPECT_THAT(agent.output_tokens, DoubleNear(300, 10));
  EXPECT_THAT(agent.retry_share, DoubleNear(0.25, 0.001));  // one in five is one
  const double attempts = agent.requests_per_s * (1 + agent.retry_share);
  EXPECT_THAT(attempts, DoubleNear(7.75, 0.3));
  EXPECT_THAT(request.forecast[0].requests_per_s, DoubleNear(12.25, 0.3));
  EXPECT_EQ(request.forecast[0].retry_share, 0);
  // The last week.
  EXPECT_THAT(request.baseline[1].prompt_tokens, DoubleNear(1990, 30));
  EXPECT_THAT(request.baseline[1].cached_share, DoubleNear(0.41, 0.01));
  // As much as all of them send.
  const ResourceVector all = demand_of(flows_of(request.forecast));
  EXPECT_NEAR(*at(all, Resource::requests), find_outlook(outlooks, Resource::requests)->peak[3],
              1e-9);
  EXPECT_NEAR(*at(all, Resource::prompt_tokens),
              find_outlook(outlooks, Resource::prompt_tokens)->peak[3], 1e-6);
}

// Requests of one route grow by 2 % a week and their prompts by 1.5 %: both parts and the whole are
// what the growths together make of them.
TEST(RouteHistory, do_growths_that_multiply_each_other_reach_what_their_product_does) {
  const auto noisy = [](double value, int t, double phase) {
    return value * (1 + 0.04 * std::sin(2.3 * t + phase));
  };
  const ByStep chat = [&](int t) { return noisy(9e5, t, 0); };
  const ByStep agent = [&](int t) { return noisy(2e5 * std::pow(1.02, t / 7.0), t, 1); };
  const ByStep chat_tokens = [&](int t) { return chat(t) * noisy(1000, t, 2); };
  const auto prompts = [](int t) { return 3000 * std::pow(1.015, t / 7.0); };
  const ByStep agent_tokens = [&](int t) { return agent(t) * noisy(prompts(t), t, 3); };
  const History history = by_step(kDayS, {series("requests", "chat", 182, chat),
                                          series("prompt_tokens", "chat", 182, chat_tokens),
                                          series("requests", "agent", 182, agent),
                                          series("prompt_tokens", "agent", 182, agent_tokens)});
  ForecastRequest request = asked_of_two_routes();
  request.history.horizon_days = 60;
  DemandHistory demand = demand_in(history, "h.csv", request.forecast).value();
  demand.routes = route_series(history, history);
  auto outlooks = look_ahead(demand, request.history).value();
  ASSERT_TRUE(continue_routes(outlooks, look_ahead_routes(demand, outlooks).value(), &request));
  const auto truth = [](const ByStep& demanded) {
    double most = 0;
    for (int t = 182; t < 242; ++t) most = std::max(most, demanded(t) / kDayS);
    return most;
  };
  const Route& chats = request.forecast[0];
  const Route& agents = request.forecast[1];
  EXPECT_NEAR(agents.requests_per_s / truth(agent), 1, 0.06);
  EXPECT_NEAR(chats.requests_per_s / truth(chat), 1, 0.06);
  EXPECT_NEAR(agents.prompt_tokens / prompts(241), 1, 0.06);
  EXPECT_NEAR(agents.requests_per_s * agents.prompt_tokens / truth(agent_tokens), 1, 0.08);
}

TEST(RouteHistory, does_only_the_busy_time_of_a_window_count) {
  // Four steps a day, of which the third has ten times the requests, with prompts of their own.
  const ByStep requests = [](int t) { return t % 4 == 2 ? 100 : 10; };
  const ByStep prompts = [&](int t) { return requests(t) * (t % 4 == 2 ? 700 : 50); };
  const History history = by_step(kDayS / 4, {series("requests", "a", 80, requests),
                                              series("prompt_tokens", "a", 80, prompts)});
  const History days = peaks_of(history, kDayS, 95).value();
  const auto found = route_series(history, days);
  const RouteSeries* tokens = find(found, "a", RouteFigure::fresh_prompt_tokens);
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->values.size(), days.size());
  EXPECT_THAT(tokens->values, Each(700));
}

TEST(RouteHistory, does_a_time_without_requests_change_no_shape) {
  const ByStep requests = [](int t) { return t < 2 || t == 5 ? 0 : 10; };
  const ByStep answers = [&](int t) { return requests(t) * (t + 1); };
  const History history = by_step(
      kDayS, {series("requests", "a", 8, requests), series("output_tokens", "a", 8, answers)});
  EXPECT_THAT(find(route_series(history, history), "a", RouteFigure::output_tokens)->values,
              ElementsAre(3, 3, 3, 4, 5, 5, 7, 8));
}

TEST(RouteHistory, are_shares_of_a_file_without_routes_those_of_all) {
  const auto constant = [](double value) { return [value](int) { return value; }; };
  const History history = by_step(kDayS, {series("requests", "", 30, constant(100)),
                                          series("prompt_tokens", "", 30, constant(1000)),
                                          series("cached_prompt_tokens", "", 30, constant(700)),
                                          series("retries", "", 30, constant(20))});
  const auto found = route_series(history, history);
  ASSERT_EQ(found.size(), 2U);  // the totals tell the rest
  const auto outlooks = look_ahead(found, history, {{1, 1}, {1, 1, 1}}).value();
  EXPECT_DOUBLE_EQ(value_of(outlooks, "", RouteFigure::cached_share, &RouteOutlook::ahead), 0.7);

  // Half of what has to be computed now will have to be: 0.6 of 2,000 and 0 of 1,000 are cached.
  std::vector<Route> routes{route_of("a", 4, 500, 0.6, 10), route_of("b", 1, 1000, 0, 10)};
  follow(outlooks, &RouteOutlook::ahead, &routes);
  EXPECT_DOUBLE_EQ(routes[0].cached_share, 0.8);
  EXPECT_DOUBLE_EQ(routes[1].cached_share, 0.5);
  EXPECT_DOUBLE_EQ(routes[0].retry_share, 0.25);
  EXPECT_DOUBLE_EQ(routes[0].requests_per_s * 1.25, 4);
}

TEST(RouteHistory, are_rows_of_a_providers_route_asked_of_the_provider) {
  const auto constant = [](double value) { return [value](int) { return value; }; };
  const History history = by_step(60, {series("requests", "chat", 30, constant(600)),
                                       series("prompt_tokens", "chat", 30, constant(60'000)),
                                       series("requests", "strong", 30, constant(120)),
                                       series("prompt_tokens", "strong", 30, constant(9'000))});
  Route strong = route_of("strong", 1, 1, 0, 1);
  strong.from_provider = true;
  const auto demand = demand_in(history, "h.csv", {route_of("chat", 1, 1, 0, 1), strong});
  ASSERT_TRUE(demand) << format(demand.error());
  EXPECT_THAT(demand->find(Resource::requests)->values, Each(10));
  EXPECT_THAT(demand->find(Resource::prompt_tokens)->values, Each(1000));
  EXPECT_THAT(demand->find(Resource::provider_requests)->values, Each(120));
  EXPECT_THAT(demand->find(Resource::provider_tokens)->values, Each(9'000));
}

// Each is continued on its own, and one that falls may fall more slowly than the other rises.
TEST(RouteHistory, do_the_shares_of_requests_ahead_add_up) {
  const History windows = by_step(86'400, {});
  std::vector<double> chat;
  std::vector<double> agent;
  for (int day = 0; day < 70; ++day) {
    agent.push_back(0.05 * std::pow(1.02, day));
    chat.push_back(1 - agent.back());
  }
  const auto outlooks = look_ahead({{"chat", RouteFigure::request_share, chat},
                                    {"agent", RouteFigure::request_share, agent}},
                                   windows, {{1, 1}, std::vector<double>(28, 1)})
                            .value();
  EXPECT_NEAR(outlooks[0].ahead + outlooks[1].ahead, 1, 1e-12);
  EXPECT_GT(outlooks[1].ahead, agent.back());
}

TEST(RouteHistory, has_every_route_to_be_told) {
  ForecastRequest request = asked_of_two_routes();
  std::vector<DemandOutlook> none;
  const auto continued = continue_routes(
      none, {{"chat", RouteFigure::request_share, 1, 1, ForecastMethod::naive}}, &request);
  ASSERT_FALSE(continued);
  EXPECT_THAT(format(continued.error()),
              HasSubstr("h.csv: the history has no rows of route \"agent\""));
}

TEST(RouteHistory, is_what_the_request_does_not_say_as_in_the_trace) {
  History history;
  history.shape = {1.5, 0.8, 2.0};
  ForecastRequest request = asked_of_two_routes();
  request.baseline[0].prompt_cv = request.forecast[0].prompt_cv = 0.3;
  ForecastRequest said = request;
  said.says_arrivals = said.says_lengths = true;
  follow_shape(&history, &request);
  EXPECT_EQ(request.load.arrival, (ArrivalSpec{ArrivalProcess::gamma, 2}));
  EXPECT_EQ(request.forecast[0].prompt_cv, 0.3);
  EXPECT_EQ(request.baseline[1].prompt_cv, 1.5);
  EXPECT_EQ(request.forecast[1].output_cv, 0.8);
  EXPECT_THAT(history.notes, ElementsAre(HasSubstr("arrivals 2.00, prompts 1.50, answers 0.800")));
  follow_shape(&history, &said);
  EXPECT_EQ(said.load.arrival, ArrivalSpec{});
  EXPECT_FALSE(said.forecast[1].prompt_cv);
  EXPECT_EQ(history.notes.size(), 1U);
}

}  // namespace
}  // namespace plimsoll
