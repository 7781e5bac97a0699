// Do the requests of a route with sessions have the tokens that engines count of them, and does
// what a scenario changes of them stay consistent?
#include "forecast/demand/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/demand/forecast_request.h"

namespace plimsoll {
namespace {

using ::testing::HasSubstr;

// Prompts of 400, 700, 1,000 and 1,300 tokens: 850 on average, of which all but 100 are repeated.
constexpr const char* kRoute =
    "routes: {chat: {requests_per_s: 8, prompt_tokens: 850, output_tokens: 200, "
    "sessions: {rounds: 4, gap_s: 10, prefix_tokens: 300}}}\n";

ForecastRequest request_of(const std::string& text) {
  auto request = parse_forecast_request(text, "f.yaml");
  EXPECT_TRUE(request) << request.error().diagnostics.front().message;
  return request ? *request : ForecastRequest{};
}

std::string problem_of_chat(const std::string& of_chat) {
  const auto request = parse_forecast_request("routes: {chat: {" + of_chat + "}}", "f.yaml");
  if (request) return "none";
  std::string text;
  for (const Diagnostic& d : request.error().diagnostics) text += d.message + " | " + d.hint + "\n";
  return text;
}

TEST(Sessions, does_what_a_round_adds_follow_from_the_mean_prompt) {
  const Sessions sessions{4, 10, 300};
  EXPECT_DOUBLE_EQ(new_tokens_of(sessions, 850, 200), 100);
  EXPECT_DOUBLE_EQ(prompt_tokens_of(sessions, 100, 200), 850);
  EXPECT_DOUBLE_EQ(repeated_share(sessions, 850, 200), 1 - 100. / 850);
}

TEST(Sessions, are_rounds_simulated_whose_prompts_begin_with_the_rounds_before) {
  const ForecastRequest request = request_of(kRoute + std::string("traffic: {length_cv: 0}\n"));
  const auto load = token_load(flows_of(request.forecast), LoadGrowth::rate, request.load)(8, 4000);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->rate_rps, 8);
  Request r;
  std::vector<double> arrivals;
  std::int64_t in_four_rounds = 0;
  while (load->source->next(&r)) {
    arrivals.push_back(to_seconds(r.arrival));
    EXPECT_EQ(r.input_tokens, 400 + 300 * r.tags.round);
    std::int64_t known = 0;
    for (const PrefixSegment& segment : r.prefix) known += segment.tokens;
    EXPECT_EQ(known, r.input_tokens - 100);
    in_four_rounds = std::max<std::int64_t>(in_four_rounds, r.tags.round + 1);
  }
  EXPECT_EQ(in_four_rounds, 4);
  const std::size_t half = arrivals.size() / 2;
  EXPECT_NEAR(static_cast<double>(half) / (arrivals.back() - arrivals[half]), 8, 0.8);
}

TEST(Sessions, do_prompts_vary_as_rounds_do) {
  const ForecastRequest request = request_of(kRoute + std::string("traffic: {length_cv: 0}\n"));
  EXPECT_EQ(p95_prompt_tokens(request.forecast[0], request.load), 1300);
  EXPECT_EQ(p95_context_tokens(request.forecast[0], request.load), 1500);
  // Without the prefix: 100, 400, 700 and 1,000.
  const TokenLength own = own_length(flows_of(request.forecast)[0], request.load);
  EXPECT_DOUBLE_EQ(own.mean, 550);
  EXPECT_NEAR(own.variance(), (450. * 450 + 150 * 150) / 2, 1e-6);
}

TEST(Sessions, does_a_stated_cached_share_end_them) {
  const ForecastRequest request = request_of(kRoute);
  EXPECT_DOUBLE_EQ(request.forecast[0].cached_share, 1 - 100. / 850);
  Change cold;
  cold.set = {{&Route::cached_share, 0}};
  const Route route = changed(request.forecast, {cold})[0];
  EXPECT_FALSE(route.sessions);
  EXPECT_EQ(route.cached_share, 0);
  EXPECT_EQ(route.prompt_tokens, 850);
}

TEST(Sessions, do_longer_answers_make_longer_prompts) {
  const ForecastRequest request = request_of(kRoute);
  Change longer;
  longer.times = {{&Route::output_tokens, 2}};
  const Route route = changed(request.forecast, {longer})[0];
  EXPECT_DOUBLE_EQ(route.prompt_tokens, 850 + 1.5 * 200);
  EXPECT_DOUBLE_EQ(new_tokens_of(*route.sessions, route.prompt_tokens, route.output_tokens), 100);
  longer.times.emplace_back(&Route::prompt_tokens, 2);  // what somebody says of them counts
  EXPECT_EQ(changed(request.forecast, {longer})[0].prompt_tokens, 1700);
}

TEST(Sessions, do_requests_that_fall_back_leave_their_session) {
  const ForecastRequest request = request_of(
      "routes: {chat: {requests_per_s: 8, prompt_tokens: 850, output_tokens: 200, fallback_to: "
      "big, fallback_share: 0.5, sessions: {rounds: 4, gap_s: 10}}, big: {requests_per_s: 1, "
      "prompt_tokens: 2000, output_tokens: 20, sessions: {rounds: 3, gap_s: 10}}}\n");
  const std::vector<Flow> flows = flows_of(request.forecast);
  ASSERT_EQ(flows.size(), 3U);
  EXPECT_TRUE(flows[0].sessions);
  EXPECT_FALSE(flows[1].sessions);
  EXPECT_EQ(flows[1].prompt_tokens, 850);
  EXPECT_EQ(flows[1].cached_share, 0);
}

TEST(Sessions, is_what_cannot_be_refused) {
  const std::string rest = "requests_per_s: 1, output_tokens: 200, ";
  EXPECT_EQ(problem_of_chat(rest + "prompt_tokens: 805, sessions: {rounds: 9, gap_s: 10}"), "none");
  EXPECT_THAT(problem_of_chat(rest + "prompt_tokens: 800, sessions: {rounds: 9, gap_s: 10}"),
              HasSubstr("prompts of \"chat\" have 800 tokens on average, and sessions of 9 rounds "
                        "with answers of 200 tokens have at least 805"));
  EXPECT_THAT(problem_of_chat(rest + "prompt_tokens: 9000, sessions: {rounds: 1, gap_s: 10}"),
              HasSubstr("rounds"));
  EXPECT_THAT(problem_of_chat(rest + "prompt_tokens: 9000, sessions: {rounds: 3}"),
              HasSubstr("gap_s"));
  EXPECT_THAT(problem_of_chat(
                  rest + "prompt_tokens: 9000, cached_share: 0.5, sessions: {rounds: 3, gap_s: 9}"),
              HasSubstr("follows from their rounds | leave it out"));
  EXPECT_THAT(problem_of_chat(
                  rest + "prompt_tokens: {mean: 9000, std: 10}, sessions: {rounds: 3, gap_s: 9}"),
              HasSubstr("say their mean alone"));
}

}  // namespace
}  // namespace plimsoll
