#include "workload/synthetic.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

SyntheticSpec constant_at(double rate_rps) {
  SyntheticSpec spec;
  spec.rate_rps = rate_rps;
  spec.arrival.process = ArrivalProcess::constant;
  return spec;
}

Request nth(const SyntheticSpec& spec, int n) {
  SyntheticSource source(spec);
  Request request;
  for (int i = 0; i <= n; ++i) EXPECT_TRUE(source.next(&request));
  return request;
}

TEST(Synthetic, are_constant_intervals_truncated_as_in_the_reference) {
  const struct {
    double rate;
    std::int64_t interval_us;
  } cases[] = {{20, 49'999}, {10, 99'999},  {40, 24'999},
               {60, 16'666}, {100, 10'000}, {1, 1'000'000}};
  for (const auto& [rate, interval_us] : cases) {
    EXPECT_EQ(nth(constant_at(rate), 0).arrival.ns, interval_us * 1000) << rate;
    EXPECT_EQ(nth(constant_at(rate), 2).arrival.ns, 3 * interval_us * 1000) << rate;
  }
}

TEST(Synthetic, is_the_shortest_gap_one_microsecond) {
  SyntheticSpec spec = constant_at(1e6);
  spec.arrival = {ArrivalProcess::gamma, 5};
  SyntheticSource source(spec);
  Request request;
  Time last;
  while (source.next(&request)) {
    ASSERT_GE(request.arrival - last, microseconds(1));
    ASSERT_EQ(request.arrival.ns % 1000, 0);
    last = request.arrival;
  }
  EXPECT_EQ(request.id, 99);
}

TEST(Synthetic, do_gaps_have_the_mean_and_variation_asked_for) {
  const struct {
    ArrivalSpec arrival;
    double cv;
  } cases[] = {{{ArrivalProcess::poisson, 1}, 1},
               {{ArrivalProcess::gamma, 0.5}, 0.5},
               {{ArrivalProcess::gamma, 3}, 3},
               {{ArrivalProcess::weibull, 0.5}, 0.5},
               {{ArrivalProcess::weibull, 2}, 2}};
  for (const auto& [arrival, cv] : cases) {
    SyntheticSpec spec = constant_at(10);
    spec.arrival = arrival;
    spec.num_requests = 200'000;
    SyntheticSource source(spec);
    Request request;
    Time last;
    double sum = 0, squares = 0;
    while (source.next(&request)) {
      const double gap = to_seconds(request.arrival - last);
      last = request.arrival;
      sum += gap;
      squares += gap * gap;
    }
    const double mean = sum / 200'000;
    EXPECT_NEAR(mean, 0.1, 0.1 * 4 * cv / 447) << cv;  // four standard errors
    EXPECT_NEAR(std::sqrt(squares / 200'000 - mean * mean) / mean, cv, 0.05 * cv);
  }
}

TEST(Synthetic, does_another_rate_see_the_same_requests) {
  SyntheticSpec slow = constant_at(1);
  slow.arrival.process = ArrivalProcess::poisson;
  SyntheticSpec fast = slow;
  fast.rate_rps = 4;
  for (const int i : {0, 1, 50}) {
    const Request a = nth(slow, i), b = nth(fast, i);
    EXPECT_EQ(a.input_tokens, b.input_tokens);
    EXPECT_EQ(a.output_tokens, b.output_tokens);
    EXPECT_NEAR(to_seconds(a.arrival), 4 * to_seconds(b.arrival), 1e-3);
  }
}

TEST(Synthetic, are_lengths_clamped_rounded_and_centred) {
  SyntheticSpec spec = constant_at(1);
  spec.num_requests = 50'000;
  spec.prompt = {100, 20, 60, 140};
  spec.output = {7, 0, 7, 7};
  SyntheticSource source(spec);
  Request request;
  double sum = 0;
  std::int32_t least = 1000, most = 0;
  while (source.next(&request)) {
    sum += request.input_tokens;
    least = std::min(least, request.input_tokens);
    most = std::max(most, request.input_tokens);
    ASSERT_EQ(request.output_tokens, 7);
    ASSERT_EQ(request.max_output_tokens, 7);
  }
  EXPECT_NEAR(sum / 50'000, 100, 0.4);
  EXPECT_EQ(least, 60);
  EXPECT_EQ(most, 140);
}

TEST(Synthetic, is_the_prefix_shared_and_part_of_the_prompt) {
  SyntheticSpec spec = constant_at(1);
  spec.prompt = {100, 0, 100, 100};
  spec.prefix_tokens = 30;
  SyntheticSource source(spec);
  Request a, b;
  ASSERT_TRUE(source.next(&a));
  ASSERT_TRUE(source.next(&b));
  EXPECT_EQ(a.input_tokens, 130);
  ASSERT_EQ(a.prefix.size(), 1u);
  EXPECT_EQ(a.prefix[0].tokens, 30);
  EXPECT_EQ(a.prefix[0].content, b.prefix[0].content);
  EXPECT_NE(a.own_content, b.own_content);
}

TEST(Synthetic, do_the_horizon_the_count_and_the_timeout_apply) {
  SyntheticSpec spec = constant_at(1);
  spec.num_requests = kUnlimited;
  spec.horizon = Time{} + seconds(10);
  spec.timeout = seconds(5);
  SyntheticSource source(spec);
  Request request;
  int count = 0;
  while (source.next(&request)) ++count;
  EXPECT_EQ(count, 10);
  EXPECT_EQ(request.deadline, request.arrival + seconds(5));
  spec.num_requests = 0;
  SyntheticSource none(spec);
  EXPECT_FALSE(none.next(&request));
}

TEST(Synthetic, are_the_numbers_the_same_as_ever) {
  SyntheticSpec spec;
  spec.rate_rps = 20;
  const Request r = nth(spec, 17);
  EXPECT_EQ(r.arrival.ns, 573'145'000);
  EXPECT_EQ(r.input_tokens, 558);
  EXPECT_EQ(r.output_tokens, 597);
}

TEST(SyntheticValidation, does_each_bad_value_give_its_message) {
  const auto expect = [](const char* part, void (*spoil)(SyntheticSpec*)) {
    SyntheticSpec spec;
    ASSERT_TRUE(validate(spec));
    spoil(&spec);
    auto result = validate(spec);
    ASSERT_FALSE(result) << part;
    EXPECT_NE(format(result.error()).find(part), std::string::npos) << format(result.error());
  };
  expect("the rate must lie in", [](SyntheticSpec* s) { s->rate_rps = 0; });
  expect("the rate must lie in", [](SyntheticSpec* s) { s->rate_rps = std::nan(""); });
  expect("got 1e+09", [](SyntheticSpec* s) { s->rate_rps = 1e9; });
  expect("variation of gamma", [](SyntheticSpec* s) { s->arrival = {ArrivalProcess::gamma, 0}; });
  expect("[0.01, 10.4]", [](SyntheticSpec* s) { s->arrival = {ArrivalProcess::weibull, 11}; });
  expect("minimum must be at least 1", [](SyntheticSpec* s) { s->prompt.min = 0; });
  expect("minimum exceeds the maximum", [](SyntheticSpec* s) { s->output.max = 1; });
  expect("maximum must be at most", [](SyntheticSpec* s) { s->output.max = kMaxTokens + 1; });
  expect("must be finite", [](SyntheticSpec* s) { s->prompt.mean = INFINITY; });
  expect("the mean 1 lies outside [2, 7000]", [](SyntheticSpec* s) { s->prompt.mean = 1; });
  expect("must not be negative", [](SyntheticSpec* s) { s->prompt.stdev = -1; });
  expect("deviation 1 lies outside", [](SyntheticSpec* s) { s->prompt.stdev = 1; });
  expect("deviation 7001 lies outside", [](SyntheticSpec* s) { s->prompt.stdev = 7001; });
  expect("requests must not be negative", [](SyntheticSpec* s) { s->num_requests = -1; });
  expect("nothing ends this run", [](SyntheticSpec* s) { s->num_requests = kUnlimited; });
  expect("prefix tokens", [](SyntheticSpec* s) { s->prefix_tokens = -1; });
}

TEST(Presets, are_the_reference_shapes_there_and_valid) {
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(validate(preset.prompt, preset.name)) << preset.name;
    EXPECT_TRUE(validate(preset.output, preset.name)) << preset.name;
  }
  const Result<Preset> chatbot = find_preset("chatbot");
  ASSERT_TRUE(chatbot);
  EXPECT_EQ(chatbot->prompt.mean, 256);
  EXPECT_EQ(chatbot->output.max, 1024);
}

TEST(Presets, does_an_unknown_name_suggest_the_nearest) {
  const Result<Preset> result = find_preset("chatbto");
  ASSERT_FALSE(result);
  EXPECT_NE(format(result.error()).find("did you mean \"chatbot\"?"), std::string::npos);
}

SyntheticSpec mixed(std::int64_t requests) {
  SyntheticSpec spec;
  spec.num_requests = requests;
  spec.arrival = {ArrivalProcess::gamma, 2};
  spec.prefix_tokens = 64;
  return spec;
}

TEST(Synthetic, skips_what_it_would_have_given) {
  SyntheticSource skipping(mixed(50));
  SyntheticSource giving(mixed(50));
  Request skipped;
  Request given;
  EXPECT_EQ(skipping.skip(17), 17);
  for (int i = 0; i < 18; ++i) ASSERT_TRUE(giving.next(&given));
  ASSERT_TRUE(skipping.next(&skipped));
  EXPECT_EQ(skipped.id, 17);
  EXPECT_EQ(skipped.arrival, given.arrival);
  EXPECT_EQ(skipped.input_tokens, given.input_tokens);
  EXPECT_EQ(skipped.output_tokens, given.output_tokens);
  EXPECT_EQ(skipping.skip(100), 32);
  EXPECT_FALSE(skipping.next(&skipped));
}

TEST(Synthetic, gives_the_same_requests_from_what_was_drawn_for_another_rate) {
  const auto draws = std::make_shared<KeptDraws>();
  for (const double rate : {5.0, 1'215.0, 40.0}) {
    SyntheticSpec spec = mixed(3'000);
    spec.rate_rps = rate;
    SyntheticSource drawing(spec);
    SyntheticSource sharing(spec);
    sharing.share(draws);
    Request drawn;
    Request shared;
    EXPECT_EQ(drawing.skip(100), sharing.skip(100));
    while (drawing.next(&drawn)) {
      ASSERT_TRUE(sharing.next(&shared));
      ASSERT_EQ(shared.arrival, drawn.arrival);
      ASSERT_EQ(shared.input_tokens, drawn.input_tokens);
      ASSERT_EQ(shared.output_tokens, drawn.output_tokens);
      ASSERT_EQ(shared.id, drawn.id);
    }
    EXPECT_FALSE(sharing.next(&shared));
  }
}

}  // namespace
}  // namespace plimsoll
