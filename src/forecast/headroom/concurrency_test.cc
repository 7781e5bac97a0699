// How many requests are under way at once, and how long their contexts get?
#include "forecast/headroom/headroom.h"

#include <gtest/gtest.h>

#include "forecast/demand/token_load.h"

namespace plimsoll {
namespace {

std::vector<Route> two_routes() {
  Route chat;
  chat.name = "chat";
  chat.requests_per_s = 10;
  chat.prompt_tokens = 1000;
  chat.output_tokens = 101;
  chat.retry_share = 0.2;
  chat.fallback_share = 0.5;
  chat.fallback_to = "strong";
  Route strong = chat;
  strong.name = "strong";
  strong.requests_per_s = 1;
  strong.output_tokens = 501;
  strong.retry_share = strong.fallback_share = 0;
  return {chat, strong};
}

double at_once(const Situation& peak, std::string_view route) {
  for (const RouteConcurrency& each : concurrency_of(peak)) {
    if (each.route == route) return each.requests;
  }
  return -1;
}

// 12 attempts a second of 0.5 + 100 x 0.02 s; of those 6 fall back to the other's 1, for 10.5 s.
TEST(Concurrency, is_how_often_requests_come_times_how_long_they_stay) {
  Situation peak;
  peak.flows = flows_of(two_routes());
  EXPECT_TRUE(concurrency_of(peak).empty());
  LoadProbe seen;
  seen.answer = Answer::holds;
  seen.summary.cluster.ttft.mean_ms = 500;
  seen.summary.cluster.itl.mean_ms = 20;
  peak.peak.emplace().probe = seen;
  EXPECT_DOUBLE_EQ(at_once(peak, "chat"), 12 * 2.5);
  EXPECT_DOUBLE_EQ(at_once(peak, "strong"), 7 * 10.5);
  // What is not held is looked at where it is.
  peak.peak->probe.answer = Answer::fails;
  EXPECT_TRUE(concurrency_of(peak).empty());
  peak.peak->line.at_line = seen;
  EXPECT_DOUBLE_EQ(at_once(peak, "chat"), 12 * 2.5);
}

TEST(Concurrency, is_what_routes_say_where_nothing_is_simulated) {
  std::vector<Route> routes = two_routes();
  routes[0].residence_s = 4;
  Situation peak;
  peak.flows = flows_of(routes);
  EXPECT_DOUBLE_EQ(at_once(peak, "chat"), 48);
  EXPECT_DOUBLE_EQ(at_once(peak, "strong"), -1);
}

// 2,000 + 1,000 tokens with deviations of 1,000 and 1,000: of their sum 1,414, or a cv of 0.471.
TEST(Context, is_the_prompt_and_the_answer_whose_spreads_partly_even_out) {
  Route route;
  route.prompt_tokens = 2000;
  route.output_tokens = 1000;
  TokenLoadOptions options;
  options.length_cv = 0;
  EXPECT_DOUBLE_EQ(p95_context_tokens(route, options), 3000);
  route.prompt_cv = 0.5;
  route.output_cv = 1;
  const double p95 = p95_context_tokens(route, options);
  EXPECT_NEAR(p95, 5670, 1);
  EXPECT_LT(p95, p95_prompt_tokens(route, options) + p95_answer_tokens(route, options));
  // A cached part does not vary.
  route.prompt_cv.reset();
  route.cached_share = 1;
  EXPECT_GT(p95_context_tokens(route, options), 3000);
  route.output_cv = 0;
  EXPECT_DOUBLE_EQ(p95_context_tokens(route, options), 3000);
}

}  // namespace
}  // namespace plimsoll
