// Is the file of a forecast read as it is meant, and is what is wrong in it named with its line?
#include "forecast/forecast_request.h"

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
  EXPECT_EQ(request->scenarios.size(), 12U);  // all built-in ones
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
      {"scenarios: {x: {capacity: {gpu: 0.5}}}\n", "unknown resource \"gpu\""},
      {"resources: {kv_tokens: {capacity: 1}}\n", "unknown resource \"kv_tokens\""},
      {"traffic: {band: {low: 1.1, high: 1.2}}\n", "a band is around 1"},
      {"slo: ttft<1s\n", "ttft"},
      {"scenarios: {x: {set: {prompt_tokens: -1}}}\n", "prompt_tokens"},
      {"rutes: {}\n", "routes"},
      {"history: {fiel: x.csv}\n", "file"},
  };
  for (const Wrong& wrong : cases) {
    EXPECT_THAT(problem(wrong.text), HasSubstr(wrong.message)) << wrong.text;
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

}  // namespace
}  // namespace plimsoll
