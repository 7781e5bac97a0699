// Is the file of a forecast read as it is meant, and is what is wrong in it named with its line?
#include "forecast/demand/forecast_request.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRoutes = R"(routes:
  chat: {requests_per_s: {baseline: 10, forecast: 20}, prompt_tokens: 1000, output_tokens: 100,
         fallback_to: strong, fallback_share: 0.1}
  strong: {requests_per_s: 1, prompt_tokens: 4000, output_tokens: 500, served_by: provider}
)";

Result<ForecastRequest> parsed(const std::string& more) {
  return parse_forecast_request(kRoutes + more, "f.yaml");
}

std::string problem(const std::string& more) {
  const auto request = parsed(more);
  if (request) return "none";
  std::string text;
  for (const Diagnostic& d : request.error().diagnostics) text += d.message + " | " + d.hint + "\n";
  return text;
}

TEST(ForecastRequest, are_numbers_the_same_now_and_then_unless_both_are_said) {
  const auto request = parsed("slo: ttft_p99<1s\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->baseline[0].requests_per_s, 10);
  EXPECT_EQ(request->forecast[0].requests_per_s, 20);
  EXPECT_EQ(request->forecast[0].prompt_tokens, 1000);
  EXPECT_TRUE(request->forecast[1].from_provider);
  EXPECT_EQ(request->slos.size(), 1U);
  // All built-in ones but those that lower limits, or use up money, of which none are given.
  EXPECT_EQ(request->scenarios.size(), 9U);
}

TEST(ForecastRequest, do_scenarios_need_what_they_change) {
  const auto request = parsed(
      "resources: {gateway_requests_per_s: {capacity: 90}, usd_per_month: {capacity: 9000}}\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->scenarios.size(), 12U);
  EXPECT_EQ(problem("scenarios: {built_in: [launch, rate-limit-cut]}\n"),
            "\"rate-limit-cut\" needs a limit of a gateway or a provider | give it as a "
            "\"capacity\" under \"resources\", or leave the scenario out\n");
  EXPECT_THAT(problem("scenarios: {built_in: [budget-cut]}\n"), HasSubstr("needs a budget"));
}

TEST(ForecastRequest, are_lengths_said_by_mean_and_deviation_or_by_percentiles) {
  const auto request = parse_forecast_request(R"(routes:
  a: {requests_per_s: 1, prompt_tokens: {p50: 1000, p95: 4000}, cached_share: 0.4,
      output_tokens: {baseline: 100, forecast: {mean: 200, std: 150}}}
)",
                                              "f.yaml");
  ASSERT_TRUE(request);
  const Route& now = request->baseline[0];
  const Route& then = request->forecast[0];
  // The mean is above the median of a lognormal distribution. Of what is simulated, the cached part
  // does not vary.
  EXPECT_NEAR(p95_prompt_tokens(now, {}),
              0.4 * now.prompt_tokens + fresh_length(flows_of(request->baseline)[0], {}).p95(),
              1e-6);
  Route cold = now;
  cold.cached_share = 0;
  EXPECT_NEAR(p95_prompt_tokens(cold, {}), 4000, 1e-6);
  EXPECT_NEAR(now.prompt_tokens, 1000 * std::exp(std::pow(std::log(4.0) / 1.6448536, 2) / 2), 1e-3);
  EXPECT_EQ(now.prompt_tokens, then.prompt_tokens);
  EXPECT_EQ(now.output_tokens, 100);
  EXPECT_FALSE(now.output_cv);
  EXPECT_EQ(then.output_tokens, 200);
  EXPECT_DOUBLE_EQ(*then.output_cv, 0.75);
  // Its fresh part varies as much as all of it, whatever stands in the cache.
  const TokenLength fresh = fresh_length(flows_of(request->forecast)[0], {});
  EXPECT_DOUBLE_EQ(fresh.cv * fresh.mean, *then.prompt_cv * then.prompt_tokens);
}

TEST(ForecastRequest, are_keys_of_a_deployment_flags) {
  const auto request = parsed("deployment: {model: qwen3-14b, num_instances: 4}\n");
  ASSERT_TRUE(request);
  EXPECT_THAT(request->flags, ::testing::ElementsAre("--model=qwen3-14b", "--num-instances=4"));
}

TEST(ForecastRequest, are_scenarios_combined_of_those_above) {
  const auto request = parsed(R"(scenarios:
  built_in: [cache-collapse]
  Friday: {times: {requests_per_s: 1.4}}
  worst: {combine: [Friday, cache-collapse], instances: -1}
)");
  ASSERT_TRUE(request);
  ASSERT_EQ(request->scenarios.size(), 3U);
  EXPECT_EQ(request->scenarios[2].changes.size(), 3U);
  EXPECT_EQ(request->scenarios[2].changes[2].instances, -1);
}

TEST(ForecastRequest, are_fixed_retries_those_of_all_attempts_of_a_route) {
  const auto request = parsed("scenarios: {spike: {retry: {fixed: 0.15}}}\n");
  ASSERT_TRUE(request);
  std::vector<Route> routes = request->forecast;
  routes[0].retry_share = 0.3;
  const auto after = changed(routes, request->scenarios[0].changes);
  EXPECT_DOUBLE_EQ(after[0].retry_share, 1.3 * 1.15 - 1);
}

TEST(ForecastRequest, is_what_two_combined_scenarios_say_differently_settled_by_their_own) {
  const std::string two = R"(scenarios:
  cold: {set: {cached_share: 0}}
  cool: {set: {cached_share: 0.1}, retry: {attempts: 2, timeout_s: 20}}
  strong: {routes: [strong], set: {cached_share: 0}}
)";
  EXPECT_THAT(problem(two + "  both: {combine: [cold, cool]}\n"),
              HasSubstr("\"cold\" sets \"cached_share\" of route \"chat\" to 0, \"cool\" to 0.1"));
  EXPECT_EQ(problem(two + "  both: {combine: [cold, strong]}\n"), "none");
  EXPECT_EQ(problem(two + "  both: {combine: [cold, cool], set: {cached_share: 0}}\n"), "none");
  EXPECT_THAT(problem(two + "  both: {combine: [cool, retry-storm]}\n"),
              HasSubstr("clients try again in two ways: 2 attempts of 20 s"));
  const auto settled =
      parsed(two + "  both: {combine: [cool, retry-storm], retry: {attempts: 4}}\n");
  ASSERT_TRUE(settled);
  const auto& changes = settled->scenarios.back().changes;
  EXPECT_FALSE(changes[0].retries || changes[1].retries);
  EXPECT_EQ(changes[2].retries->attempts, 4);
}

struct Wrong {
  const char* text;
  const char* message;
};

TEST(ForecastRequest, is_what_is_wrong_named) {
  const Wrong cases[]{
      {"scenarios: {worst: {combine: [Fridy]}}\n", "there is no scenario \"Fridy\" above"},
      {"scenarios: {built_in: [cache-colapse]}\n", "cache-collapse"},
      {"scenarios: {x: {routes: [caht]}}\n", "there is no route \"caht\""},
      {"scenarios: {x: {set: {cached_share: 2}}}\n", "cached_share"},
      {"scenarios: {x: {times: {fallback_share: 15}}}\n", "becomes 1.50; it may be 1.00 at most"},
      {"scenarios: {x: {cohort: {share: 0.6}}, y: {combine: [x, x]}}\n",
       "takes more than all requests of route \"chat\""},
      {"scenarios: {x: {capacity: {gpu: 0.5}}}\n", "unknown resource \"gpu\""},
      {"resources: {kv_tokens: {capacity: 1}}\n", "unknown resource \"kv_tokens\""},
      {"traffic: {band: {low: 1.1, high: 1.2}}\n", "a band is around 1"},
      {"slo: ttft<1s\n", "ttft"},
      {"slo: critical:ttft_p99<1s\n", "ttft_p99<1s is for a class, and routes of a forecast"},
      {"scenarios: {x: {set: {prompt_tokens: -1}}}\n", "prompt_tokens"},
      {"slo: ttft_p99<1parsec\n", "for example ttft_p99<500ms or e2e_mean<2s"},
      {"scenarios: {x: {failover: {mix: {chat: 0.5}}}}\n", "shares add up to 0.500, not to 1"},
      {"scenarios: {x: {failover: {mix: {caht: 1}}}}\n", "there is no route \"caht\""},
      {"scenarios: {x: {routes: [chat], failover: {mix: {chat: 1}}}}\n",
       "\"mix\" says which routes it is about"},
      {"provider_price: {input: 1, output: 2, cached_input: 1.5}\n",
       "cached tokens cost more than others"},
      {"rutes: {}\n", "routes"},
      {"history: {fiel: x.csv}\n", "file"},
      {"history: {file: x, format: mooncake, zone: UTC}\n", "\"zone\" does nothing beside"},
      {"history: {file: x, format: mooncake, gaps: fill}\n", "\"gaps\" does nothing beside"},
      {"history: {file: x, format: mooncake, columns: {requests: a}}\n",
       "\"columns\" does nothing beside"},
      {"history: {file: x, format: mooncake, route_label: a}\n",
       "\"route_label\" does nothing beside"},
  };
  for (const Wrong& wrong : cases) {
    EXPECT_THAT(problem(wrong.text), HasSubstr(wrong.message)) << wrong.text;
  }
}

TEST(ForecastRequest, is_a_length_that_cannot_be_named) {
  const auto problem_of = [](const std::string& length) {
    const auto request = parse_forecast_request(
        "routes:\n  a: {requests_per_s: 1, output_tokens: 1, prompt_tokens: " + length + "}\n",
        "f.yaml");
    std::string text = request ? "none" : "";
    if (!request) {
      for (const Diagnostic& d : request.error().diagnostics) text += d.message + "\n";
    }
    return text;
  };
  EXPECT_THAT(problem_of("{p50: 100, p95: 90}"), HasSubstr("p95 is 90, below p50, which is 100"));
  EXPECT_THAT(problem_of("{p50: 100}"), HasSubstr("p95"));
  EXPECT_THAT(problem_of("{mean: 100}"), HasSubstr("std"));
  EXPECT_THAT(problem_of("{mean: 100, std: -1}"), HasSubstr("std"));
  EXPECT_THAT(problem_of("{mean: 100, std: 1500}"),
              HasSubstr("the standard deviation is 15.0 times the mean; it may be 10 times"));
  EXPECT_THAT(problem_of("{mean: 100, std: 1, p95: 200}"), HasSubstr("mean"));
}

TEST(ForecastRequest, are_routes_that_are_no_map_one_error) {
  for (const char* text : {"routes: []\n", "routes: {}\n", "routes: 3\n", "name: x\n"}) {
    const auto request = parse_forecast_request(text, "f.yaml");
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().diagnostics.size(), 1U) << text;
  }
}

TEST(ForecastRequest, has_some_route_to_send_something) {
  const auto request = parse_forecast_request(
      "routes:\n  a: {requests_per_s: 0, prompt_tokens: 1, output_tokens: 1}\n", "f.yaml");
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().diagnostics[0].message, HasSubstr("no route sends a request"));
}

TEST(ForecastRequest, does_a_fallback_need_another_route) {
  const std::string route = "routes:\n  a: {requests_per_s: 1, prompt_tokens: 1, output_tokens: 1";
  const auto problem_of = [&](const std::string& rest) {
    const auto request = parse_forecast_request(route + rest, "f.yaml");
    return request ? "none" : request.error().diagnostics[0].message;
  };
  EXPECT_THAT(problem_of(", fallback_to: b}\n"), HasSubstr("there is no route \"b\""));
  EXPECT_THAT(problem_of(", fallback_to: a}\n"), HasSubstr("cannot fall back to itself"));
  EXPECT_THAT(problem_of("}\nscenarios: {built_in: [strong-model]}\n"),
              HasSubstr("needs a route that others fall back to"));
}

TEST(ForecastRequest, are_known_events_and_seats_read) {
  const std::string top =
      "routes:\n  a: {requests_per_s: 1, prompt_tokens: 1, output_tokens: 1}\nhistory:\n"
      "  file: h.csv\n";
  const auto request = parse_forecast_request(
      top +
          "  events:\n    launch: {from: 2026-12-01, times: 1.5, ramp_days: 14}\n"
          "    sale: {from: 2026-11-02, until: 2026-11-05}\n"
          "  seats: {2027-01-01: 800, 2026-06-01: 300}\n",
      "f.yaml");
  ASSERT_TRUE(request) << format(request.error());
  const HistoryRequest& history = request->history;
  ASSERT_EQ(history.events.size(), 2U);
  EXPECT_EQ(history.events[0].name, "launch");
  EXPECT_EQ(history.events[0].times, 1.5);
  EXPECT_EQ(history.events[0].ramp_s, 14 * 86'400);
  EXPECT_EQ(*history.events[1].until_s - history.events[1].from_s, 3 * 86'400);
  ASSERT_EQ(history.seats.size(), 2U);
  EXPECT_EQ(history.seats[0].count, 300);
  const auto problem_of = [&](const std::string& rest) {
    const auto wrong = parse_forecast_request(top + rest, "f.yaml");
    return wrong ? "none" : format(wrong.error());
  };
  EXPECT_THAT(problem_of("  events: {x: {from: 2026-12-01, tims: 2}}\n"), HasSubstr("times"));
  EXPECT_THAT(problem_of("  events: {x: {from: soon, times: 2}}\n"),
              HasSubstr("\"soon\" is not a date"));
  EXPECT_THAT(problem_of("  events: {x: {times: 2}}\n"), HasSubstr("begins at a date"));
  EXPECT_THAT(problem_of("  events: {x: {from: 2026-12-01, until: 2026-11-01}}\n"),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(problem_of("  seats: {soon: 3}\n"), HasSubstr("\"soon\" is not a date"));
  EXPECT_THAT(problem_of("  seats: {2026-06-01: 3}\n"), HasSubstr("at one date alone"));
  EXPECT_THAT(problem_of("  zone: Europe/Berln\n"), HasSubstr("did you mean \"Europe/Berlin\"?"));
}

}  // namespace
}  // namespace plimsoll
