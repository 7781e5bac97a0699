// Is each provider asked for what its routes send, and refused what is over its limits?
#include "forecast/headroom/provider_limits.h"

#include <gtest/gtest.h>

#include "forecast/headroom/headroom.h"
#include "forecast/headroom/money.h"

namespace plimsoll {
namespace {

constexpr const char* kTwo = R"(
providers:
  big: {price: {input: 1, output: 4}, requests_per_min: 1200, tokens_per_min: 1000000}
  small: {price: {input: 2, output: 8}, tokens_per_min: TOKENS}
routes:
  chat: {requests_per_s: 10, prompt_tokens: 500, output_tokens: 100, served_by: big}
  agent: {requests_per_s: 5, prompt_tokens: 1000, output_tokens: 200, served_by: small}
traffic: {length_cv: 0.2, mean_load: 0.5}
)";

ForecastRequest two(const std::string& tokens_of_small) {
  std::string text = kTwo;
  text.replace(text.find("TOKENS"), 6, tokens_of_small);
  const auto request = parse_forecast_request(text, "f.yaml");
  EXPECT_TRUE(request);
  return *request;
}

TEST(ProviderLimits, does_each_have_its_own_routes_prices_and_limits) {
  const auto rows = provider_rows(two("720000"));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2U);
  const ProviderRow& big = rows->front();
  const ProviderRow& small = rows->back();
  EXPECT_DOUBLE_EQ(big.requests_per_min, 600);
  EXPECT_DOUBLE_EQ(big.tokens_per_min, 360'000);
  EXPECT_DOUBLE_EQ(*big.used(), 0.5);
  EXPECT_EQ(big.refused, 0);
  EXPECT_DOUBLE_EQ(*small.used(), 0.5);
  const double seconds = 730 * 3600 * 0.5;
  EXPECT_NEAR(big.usd_per_month, 10 * (500 * 1 + 100 * 4) / 1e6 * seconds, 1e-6);
  EXPECT_NEAR(small.usd_per_month, 5 * (1000 * 2 + 200 * 8) / 1e6 * seconds, 1e-6);
}

// Two thirds of the tokens are let in, and so about two thirds of the requests.
TEST(ProviderLimits, is_refused_what_is_over_the_limit_while_the_peak_lasts) {
  const auto rows = provider_rows(two("240000"));
  ASSERT_TRUE(rows);
  EXPECT_DOUBLE_EQ(*rows->back().used(), 1.5);
  EXPECT_NEAR(rows->back().refused, 1 / 3.0, 0.03);
  EXPECT_EQ(rows->front().refused, 0);
}

TEST(ProviderLimits, is_the_tightest_of_them_the_row_of_the_sheet) {
  const auto sheet = find_headroom(two("240000"), std::nullopt, {});
  ASSERT_TRUE(sheet);
  EXPECT_EQ(sheet->binding, Resource::provider_tokens);
  const auto row = std::ranges::find(sheet->rows, Resource::provider_tokens, &SheetRow::resource);
  EXPECT_DOUBLE_EQ(*row->forecast_p95, 360'000);
  EXPECT_DOUBLE_EQ(*row->capacity, 240'000);
  EXPECT_EQ(sheet->review.retries.share, 0);  // what is over a limit leaves nothing
}

TEST(ProviderLimits, is_a_provider_that_nobody_described_an_error) {
  const auto request = parse_forecast_request(
      "providers: {big: {price: {input: 1, output: 1}}}\n"
      "routes: {chat: {requests_per_s: 1, prompt_tokens: 1, output_tokens: 1, served_by: bgi}}\n",
      "f.yaml");
  ASSERT_FALSE(request);
  EXPECT_NE(request.error().diagnostics.front().hint.find("big"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
