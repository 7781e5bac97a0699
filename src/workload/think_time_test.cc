#include "workload/think_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace plimsoll {
namespace {

ThinkTime parsed_think(const char* text) {
  const auto think = parse_think_time(text);
  if (!think) {
    ADD_FAILURE() << format(think.error());
    return {};
  }
  return *think;
}

TEST(ThinkTime, are_both_forms_and_all_units_read) {
  EXPECT_EQ(parsed_think("constant:value=250").constant, milliseconds(250));
  EXPECT_EQ(parsed_think("constant:value=250us").constant, microseconds(250));
  EXPECT_EQ(parsed_think("constant:value=2.5ms").constant, microseconds(2500));
  EXPECT_EQ(parsed_think("constant:value=3s").constant, seconds(3));
  EXPECT_EQ(parsed_think("constant:value=0").constant, Duration{});
  const ThinkTime think = parsed_think("lognormal:mu=-1.5,sigma=0.5,min=10,max=2s");
  EXPECT_EQ(think.mu, -1.5);
  EXPECT_EQ(think.sigma, 0.5);
  EXPECT_EQ(think.min, milliseconds(10));
  EXPECT_EQ(think.max, seconds(2));
  EXPECT_EQ(think.shortest(), milliseconds(10));
}

TEST(ThinkTime, does_each_mistake_give_one_clear_error) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "unknown distribution \"\""},
      {"uniform:min=1,max=2", "unknown distribution \"uniform\""},
      {"lognorml:mu=1,sigma=1", "did you mean \"lognormal\"?"},
      {"constant", "\"value\" is missing"},
      {"constant:", "\"value\" is missing"},
      {"constant:5", "\"5\" is not of the form key=value"},
      {"constant:value=", "\"value\" must be a time"},
      {"constant:value=x", "\"value\" must be a time"},
      {"constant:value=-1", "\"value\" must be a time"},
      {"constant:value=1h", "\"value\" must be a time"},
      {"constant:value=inf", "\"value\" must be a time"},
      {"constant:value=1e300s", "\"value\" must be a time"},
      {"constant:value=1,value=2", "\"value\" is given twice"},
      {"constant:valu=1", "did you mean \"value\"?"},
      {"constant:mu=1", "unknown key \"mu\""},
      {"lognormal:mu=1", "\"sigma\" is missing"},
      {"lognormal:sigma=1", "\"mu\" is missing"},
      {"lognormal:mu=1,sigma=0", "\"sigma\" must be greater than 0"},
      {"lognormal:mu=1,sigma=-2", "\"sigma\" must be greater than 0"},
      {"lognormal:mu=nan,sigma=1", "\"mu\" must be a number"},
      {"lognormal:mu=1s,sigma=1", "\"mu\" must be a number"},
      {"lognormal:mu=1,sigma=1,min=2s,max=1s", "\"min\" exceeds \"max\""},
      {"lognormal:mu=1,sigma=1,,", "\"\" is not of the form key=value"},
  };
  for (const auto& [text, error] : cases) {
    const auto think = parse_think_time(text);
    ASSERT_FALSE(think) << text;
    EXPECT_EQ(exit_code(think.error()), 2);
    EXPECT_NE(format(think.error()).find(error), std::string::npos) << format(think.error());
  }
}

TEST(ThinkTime, do_draws_have_the_median_and_the_spread_asked_for) {
  const ThinkTime think = parsed_think("lognormal:mu=0.7,sigma=0.6");
  std::vector<Duration> draws;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    draws.push_back(think.draw(RandomStream(7, Purpose::think_time, i)));
  }
  std::sort(draws.begin(), draws.end());
  // Quantiles of a lognormal: exp(mu + sigma z), z = 0 and +-1; 3 standard errors of each.
  EXPECT_NEAR(to_seconds(draws[5000]), 2.014, 0.046);
  EXPECT_NEAR(to_seconds(draws[1587]), 1.105, 0.033);
  EXPECT_NEAR(to_seconds(draws[8413]), 3.669, 0.12);
  EXPECT_NEAR(to_seconds(think.median()), 2.014, 0.001);
}

TEST(ThinkTime, do_bounds_hold) {
  const ThinkTime think = parsed_think("lognormal:mu=0,sigma=2,min=500ms,max=2s");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Duration drawn = think.draw(RandomStream(7, Purpose::think_time, i));
    EXPECT_GE(drawn, milliseconds(500));
    EXPECT_LE(drawn, seconds(2));
  }
}

}  // namespace
}  // namespace plimsoll
