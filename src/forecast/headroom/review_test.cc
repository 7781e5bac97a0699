// Do the answers to a review follow from what is given? Hand-checked arithmetic; what simulations
// add, forecast/headroom/headroom_test.cc compares.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "forecast/headroom/headroom.h"

namespace plimsoll {
namespace {

constexpr const char* kTwoRoutes = R"(routes:
  chat: {requests_per_s: 100, prompt_tokens: 1000, cached_share: 0.5, output_tokens: 50,
         fallback_to: strong}
  strong: {requests_per_s: 10, prompt_tokens: 1000, output_tokens: 400}
)";

ReviewAnswers answers(const std::string& resources) {
  const auto request = parse_forecast_request(kTwoRoutes + resources, "f.yaml");
  EXPECT_TRUE(request);
  return find_headroom(*request, std::nullopt, Execution{})->review;
}

TEST(Review, are_retries_held_until_the_first_capacity_is_used_up) {
  // 110 requests/s and 9,000 output tokens/s.
  const auto review = answers(
      "resources: {requests_per_s: {capacity: 165}, output_tokens_per_s: {capacity: 11250}}\n");
  EXPECT_DOUBLE_EQ(*review.retries.share, 0.25);
  EXPECT_EQ(review.retries.runs_out, Resource::output_tokens);
}

TEST(Review, does_a_given_demand_grow_with_what_the_routes_ask_for) {
  const auto review =
      answers("resources: {output_tokens_per_s: {forecast: 4500, capacity: 5400}}\n");
  EXPECT_NEAR(*review.retries.share, 0.2, 1e-12);
}

TEST(Review, does_a_fallback_take_as_many_requests_as_the_other_routes_answers_leave_room_for) {
  // All of chat on strong: 110 x 400 instead of 9,000 output tokens/s, or 4,000 without chat.
  const auto review = answers(
      "resources: {requests_per_s: {capacity: 120}, output_tokens_per_s: {capacity: 16000}}\n");
  ASSERT_EQ(review.fallbacks.size(), 1U);
  const FallbackSpare& strong = review.fallbacks[0];
  EXPECT_EQ(strong.route, "chat");
  EXPECT_EQ(strong.to, "strong");
  EXPECT_DOUBLE_EQ(strong.requests_per_s, 100);
  EXPECT_NEAR(*strong.spare.share, 0.3, 1e-12);
  EXPECT_EQ(strong.spare.runs_out, Resource::output_tokens);
  EXPECT_NEAR(*strong.partial.share, 0.2, 1e-12);
}

TEST(Review, is_nothing_left_where_it_is_short_already_and_all_taken_where_all_fits) {
  const auto is_short = answers("resources: {output_tokens_per_s: {capacity: 8000}}\n");
  EXPECT_EQ(is_short.retries.share, 0);
  EXPECT_EQ(is_short.fallbacks[0].partial.share, 0);
  const auto twice_short = answers(
      "resources: {output_tokens_per_s: {capacity: 8000}, requests_per_s: {capacity: 40}}\n");
  EXPECT_EQ(twice_short.retries.runs_out, Resource::requests);
  const auto none_there = answers("resources: {output_tokens_per_s: {capacity: 0}}\n");
  EXPECT_EQ(none_there.retries.share, 0);
  const auto wide = answers("resources: {output_tokens_per_s: {capacity: 1000000}}\n");
  EXPECT_EQ(wide.fallbacks[0].spare.share, 1);
  EXPECT_FALSE(wide.fallbacks[0].spare.runs_out);
  // A limit that a failover leaves alone says nothing about it.
  const auto beside = answers("resources: {gateway_requests_per_s: {capacity: 120}}\n");
  EXPECT_TRUE(std::isinf(*beside.fallbacks[0].partial.share));
  EXPECT_EQ(beside.fallbacks[0].spare.share, 1);
  EXPECT_NEAR(*beside.retries.share, 1 / 11.0, 1e-12);
}

TEST(Review, is_a_cold_cache_the_money_that_providers_ask_for_it) {
  const auto review = [](const char* price) {
    const std::string text = std::string(R"(routes:
  chat: {requests_per_s: 100, prompt_tokens: 1000, cached_share: 0.5, output_tokens: 50,
         served_by: provider}
resources: {usd_per_month: {capacity: 1000000}, provider_tokens_per_min: {capacity: 1e9}}
traffic: {mean_load: 0.5}
scenarios: {built_in: [cache-collapse]}
)") + price;
    return *find_headroom(*parse_forecast_request(text, "f.yaml"), std::nullopt, Execution{});
  };
  // 100 x 500 tokens a second, half the time, at $0.9 a million less.
  const double saved = 50'000 * 0.5 * 0.9 / 1e6 * 3600 * 730;
  const auto cheap = review("provider_price: {input: 1, output: 4, cached_input: 0.1}\n");
  EXPECT_NEAR(*cheap.review.cold_add_usd_per_month, saved, 1e-6);
  EXPECT_FALSE(cheap.review.cold_prompt_tokens_per_s);
  // Tokens count as before, cached or not; money does not.
  EXPECT_EQ(cheap.scenarios.at(0).worse, std::vector{Resource::budget});
  const auto same = review("provider_price: {input: 1, output: 4}\n");
  EXPECT_FALSE(same.review.cold_add_usd_per_month);
  EXPECT_TRUE(same.scenarios.at(0).worse.empty());
}

TEST(Review, is_a_cold_cache_all_prompt_tokens) {
  EXPECT_DOUBLE_EQ(*answers("").cold_prompt_tokens_per_s, 110'000);
}

}  // namespace
}  // namespace plimsoll
