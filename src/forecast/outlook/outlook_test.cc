#include "forecast/outlook/outlook.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random/distributions.h"
#include "shared_data.h"
#include "slow_sanitized.h"
#include "workload/servegen.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double kPi = 3.14159265358979323846;
constexpr double kHour = 3600;

struct Truth {
  double daily = 0, weekly = 0, growth_per_step = 0, noise = 1;
  double kept = 0;  ///< of the noise from step to step
};

std::vector<double> series_of(const Truth& truth, std::size_t size, double step_s,
                              std::uint64_t seed) {
  std::vector<double> y;
  double noise = 0;
  for (std::size_t t = 0; t < size; ++t) {
    RandomStream stream(seed, Purpose::arrival, t);
    noise = truth.kept * noise + truth.noise * draw_normal(stream);
    const double days = static_cast<double>(t) * step_s / 86'400;
    y.push_back(100 + truth.daily * std::sin(2 * kPi * days) +
                truth.weekly * std::sin(2 * kPi * days / 7) +
                truth.growth_per_step * static_cast<double>(t) + noise);
  }
  return y;
}

OutlookOptions ahead(std::size_t horizon, double step_s) {
  OutlookOptions options;
  options.horizon = horizon;
  options.step_s = step_s;
  return options;
}

struct Coverage {
  double within = 0, all = 0;

  void add(const Outlook& outlook, std::span<const double> came) {
    for (std::size_t h = 0; h < std::min(outlook.horizon(), came.size()); ++h) {
      all += 1;
      if (came[h] >= outlook.bands[h].front() && came[h] <= outlook.bands[h].back()) within += 1;
    }
  }
  double share() const { return within / all; }
};

TEST(Outlook, do_90_percent_bands_hold_90_percent_of_what_comes) {
  SLOW_SANITIZED();
  const struct {
    const char* name;
    Truth truth;
    std::size_t size;
    double step_s;
    std::size_t horizon;
    std::uint64_t seeds;
  } cases[] = {
      {"hours, day and week", {30, 20, 0, 5, 0}, 35 * 24, kHour, 48, 9},
      {"hours, growth and lasting noise", {30, 20, 0.05, 4, 0.7}, 35 * 24, kHour, 48, 9},
      {"days, week", {0, 20, 0, 5, 0}, 140, 24 * kHour, 14, 20},
      {"days, growth and lasting noise", {0, 20, 0.5, 4, 0.7}, 140, 24 * kHour, 14, 20},
  };
  for (const auto& [name, truth, size, step_s, horizon, seeds] : cases) {
    Coverage coverage;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::vector<double> y = series_of(truth, size + horizon, step_s, seed);
      const auto outlook = look_ahead(std::span(y).first(size), ahead(horizon, step_s));
      ASSERT_TRUE(outlook);
      EXPECT_EQ(static_cast<double>(outlook->season) * step_s, 7 * 24 * kHour) << name;
      coverage.add(*outlook, std::span(y).subspan(size));
    }
    EXPECT_GE(coverage.share(), 0.85) << name;
    EXPECT_LE(coverage.share(), 0.96) << name;
  }
}

// 200 steps of a random walk: in truth a line 8 above the last value is crossed within 60 steps
// with probability 2 P(N > 8 / sqrt(60)) = 0.30, and 90 % of what comes lies within 25.5. More such
// series and other kinds: docs/explanation/forecast-accuracy.md.
TEST(Outlook, are_chances_to_cross_a_line_those_of_a_random_walk) {
  SLOW_SANITIZED();
  constexpr std::uint64_t kWalks = 30;
  double chance = 0;
  std::vector<double> widths;
  for (std::uint64_t seed = 1; seed <= kWalks; ++seed) {
    std::vector<double> walk{1000};
    for (std::size_t t = 1; t < 200; ++t) {
      RandomStream stream(seed, Purpose::arrival, t);
      walk.push_back(walk.back() + draw_normal(stream));
    }
    const auto outlook = look_ahead(walk, ahead(60, 60));
    ASSERT_TRUE(outlook);
    chance += crossing(*outlook, walk.back() + 8).probability() / kWalks;
    widths.push_back(outlook->bands.back().back() - outlook->bands.back().front());
    // The band of a walk never gets narrower.
    EXPECT_GE(outlook->bands[59].back() - outlook->bands[59].front(),
              0.9 * (outlook->bands[29].back() - outlook->bands[29].front()));
  }
  EXPECT_GT(chance, 0.2);
  EXPECT_LT(chance, 0.42);
  std::sort(widths.begin(), widths.end());
  EXPECT_GT(widths[kWalks / 2], 20);
  EXPECT_LT(widths[kWalks / 2], 45);
}

TEST(Outlook, are_the_bands_those_of_the_paths) {
  const std::vector<double> y = series_of({30, 0, 0, 5, 0}, 20 * 24, kHour, 3);
  const auto outlook = look_ahead(y, ahead(24, kHour));
  ASSERT_TRUE(outlook);
  for (std::size_t h = 0; h < 24; ++h) {
    double below = 0;
    for (const std::vector<double>& path : outlook->paths) {
      below += path[h] <= outlook->bands[h][5] ? 1 : 0;  // 90 %
    }
    EXPECT_NEAR(below / 1000, 0.9, 0.04);
    EXPECT_TRUE(std::is_sorted(outlook->bands[h].begin(), outlook->bands[h].end()));
  }
}

TEST(Outlook, is_it_a_function_of_values_and_seed) {
  const std::vector<double> y = series_of({30, 0, 0, 5, 0}, 10 * 24, kHour, 4);
  OutlookOptions options = ahead(24, kHour);
  const auto one = look_ahead(y, options);
  const auto same = look_ahead(y, options);
  options.seed = 43;
  const auto other = look_ahead(y, options);
  EXPECT_EQ(one->bands, same->bands);
  EXPECT_EQ(one->paths, same->paths);
  EXPECT_EQ(one->bands, other->bands);
  EXPECT_NE(one->paths, other->paths);
}

TEST(Outlook, does_it_scale_with_the_unit) {
  std::vector<double> y = series_of({30, 0, 0.05, 5, 0}, 10 * 24, kHour, 5);
  const auto small = look_ahead(y, ahead(24, kHour));
  for (double& v : y) v *= 1024;
  const auto large = look_ahead(y, ahead(24, kHour));
  EXPECT_EQ(small->method, large->method);
  EXPECT_DOUBLE_EQ(*small->mase, *large->mase);
  for (std::size_t h = 0; h < 24; ++h) {
    for (std::size_t i = 0; i < kBandPercents.size(); ++i) {
      EXPECT_DOUBLE_EQ(1024 * small->bands[h][i], large->bands[h][i]);
    }
  }
  EXPECT_EQ(crossing(*small, 150).chance, crossing(*large, 150 * 1024).chance);
}

TEST(Outlook, is_a_higher_line_never_crossed_earlier) {
  const std::vector<double> y = series_of({10, 0, 0.05, 5, 0.5}, 30 * 24, kHour, 6);
  const auto outlook = look_ahead(y, ahead(7 * 24, kHour));
  ASSERT_TRUE(outlook);
  Runway lower = crossing(*outlook, 130);
  for (double line = 131; line < 170; ++line) {
    const Runway higher = crossing(*outlook, line);
    for (std::size_t h = 0; h < higher.chance.size(); ++h) {
      EXPECT_LE(higher.chance[h], lower.chance[h]);
    }
    EXPECT_TRUE(std::is_sorted(higher.chance.begin(), higher.chance.end()));
    lower = higher;
  }
  EXPECT_EQ(lower.start_s, outlook->start_s);
}

// 100 + 0.5 a day reaches 180 twenty days after the last value; with its noise, it exceeds that
// three days earlier in half of all cases.
TEST(Outlook, does_steady_growth_reach_the_line_when_arithmetic_says) {
  constexpr int kSeries = 8;
  double middle = 0;
  for (std::uint64_t seed = 1; seed <= kSeries; ++seed) {
    const std::vector<double> y = series_of({0, 0, 0.5, 1, 0}, 140, 24 * kHour, seed);
    const auto outlook = look_ahead(y, ahead(40, 24 * kHour));
    ASSERT_TRUE(outlook);
    EXPECT_EQ(outlook->method, ForecastMethod::combination);
    EXPECT_FALSE(outlook->simple_is_as_good);
    for (const Bend& bend : outlook->events.bends) EXPECT_LT(bend.chance, 0.5) << seed;
    const Runway runway = crossing(*outlook, 180);
    ASSERT_TRUE(runway.time_at(0.5) && runway.time_at(0.1) && runway.time_at(0.9));
    EXPECT_LT(*runway.time_at(0.1), *runway.time_at(0.5));
    EXPECT_GE(*runway.time_at(0.9), *runway.time_at(0.5));
    middle += *runway.time_at(0.5) / 86'400 / kSeries;
  }
  EXPECT_NEAR(middle, 17, 3);
}

TEST(Outlook, is_a_simple_rule_named_where_nothing_beats_it) {
  std::vector<double> walk{1000};
  for (std::size_t t = 1; t < 200; ++t) {
    RandomStream stream(9, Purpose::arrival, t);
    walk.push_back(walk.back() + draw_normal(stream));
  }
  const auto outlook = look_ahead(walk, ahead(10, 60));
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->simple_is_as_good);
  EXPECT_EQ(outlook->method, ForecastMethod::naive);
  EXPECT_THAT(outlook->notes, Contains(HasSubstr("beats repeating the last value")));
}

TEST(Outlook, does_a_constant_series_stay_what_it_is) {
  const auto outlook = look_ahead(std::vector<double>(60, 7), ahead(5, 60));
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->mase, 0);
  EXPECT_EQ(outlook->bands.back(), (BandQuantiles{7, 7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(crossing(*outlook, 7).probability(), 0);
}

TEST(Outlook, does_little_history_give_wide_bands_and_no_dates) {
  const std::vector<double> y = series_of({0, 0, 1, 1, 0}, 12, 86'400, 8);
  const auto outlook = look_ahead(y, ahead(10, 86'400));
  EXPECT_EQ(look_ahead(y, ahead(90, 86'400))->enough_values, 23u);  // a quarter of the horizon
  ASSERT_TRUE(outlook);
  EXPECT_TRUE(outlook->too_short);
  EXPECT_FALSE(outlook->mase || outlook->coverage);
  EXPECT_FALSE(crossing(*outlook, 0).known);
  EXPECT_THAT(outlook->notes, Contains(HasSubstr("a wide band, and no dates")));
  // From 111 on, growth of one a day may go on or not.
  EXPECT_GT(outlook->bands[9].back(), 121);
  EXPECT_LT(outlook->bands[9].front(), 111);
  const std::size_t enough = outlook->enough_values;
  const std::vector<double> longer = series_of({0, 0, 1, 1, 0}, enough, 86'400, 8);
  EXPECT_FALSE(look_ahead(longer, ahead(10, 86'400))->too_short);
  EXPECT_TRUE(look_ahead(std::span(longer).first(enough - 1), ahead(10, 86'400))->too_short);
}

TEST(Outlook, is_what_cannot_be_forecast_refused) {
  const std::vector<double> y(60, 1);
  EXPECT_FALSE(look_ahead(std::span(y).first(3), ahead(1, 60)));
  EXPECT_FALSE(look_ahead(y, ahead(0, 60)));
  EXPECT_FALSE(look_ahead(y, ahead(200'000, 60)));
  for (const double bad : {std::nan(""), HUGE_VAL, 1e200}) {
    std::vector<double> spoilt = y;
    spoilt[20] = bad;
    const auto refused = look_ahead(spoilt, ahead(5, 60));
    ASSERT_FALSE(refused);
    EXPECT_THAT(format(refused.error()), HasSubstr("value 21 of the history"));
  }
  OutlookOptions options = ahead(5, 60);
  options.method = ForecastMethod::seasonal_naive;
  EXPECT_FALSE(look_ahead(y, options));
  options.method = ForecastMethod::holt_winters;
  EXPECT_EQ(look_ahead(y, options)->method, ForecastMethod::holt_winters);
}

// Looks ahead from every `stride`-th moment and compares with what came;
// docs/explanation/forecast-accuracy.md has the figures for every moment.
void look_from_everywhere(std::span<const double> y, std::size_t first, std::size_t horizon,
                          double step_s, std::size_t stride, Coverage& coverage) {
  for (std::size_t known = first; known < y.size(); known += stride) {
    const auto outlook = look_ahead(y.first(known), ahead(horizon, step_s));
    ASSERT_TRUE(outlook);
    EXPECT_FALSE(outlook->too_short);
    coverage.add(*outlook, y.subspan(known));
  }
}

TEST(RealDemand, do_the_bands_hold_an_hour_of_azure_and_mooncake) {
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no recorded traces here";
  Coverage coverage;
  for (const auto& [file, format_of_file] :
       {std::pair{"azure-llm-2023/AzureLLMInferenceTrace_code.csv", TraceFormat::azure},
        std::pair{"azure-llm-2023/AzureLLMInferenceTrace_conv.csv", TraceFormat::azure},
        std::pair{"mooncake-fast25/conversation_trace.jsonl.gz", TraceFormat::mooncake}}) {
    const auto workload = read_trace((*shared / "data/traces" / file).string(), format_of_file);
    ASSERT_TRUE(workload) << format(workload.error());
    WorkloadSource by_minute(*workload), by_ten(*workload);
    const auto minutes = history_of(by_minute, seconds(60));
    for (const HistorySeries& series : minutes->series) {
      look_from_everywhere(series.values, 30, 10, 60, 3, coverage);
    }
    const auto tens = history_of(by_ten, seconds(600));
    EXPECT_TRUE(look_ahead(*tens, tens->series[0], ahead(1, 0))->too_short);
  }
  EXPECT_GE(coverage.share(), 0.85);
  EXPECT_LE(coverage.share(), 0.95);
}

TEST(RealDemand, do_the_bands_hold_a_day_of_servegen) {
  SLOW_SANITIZED();
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no ServeGen data here";
  Coverage coverage;
  for (const char* name :
       {"language-m-large", "language-m-mid", "language-m-small", "reason-deepseek-r1"}) {
    const auto data = read_servegen((*shared / "data/traces/servegen" / name).string());
    ASSERT_TRUE(data) << format(data.error());
    std::int64_t start = data->clients.front().windows.front().start_s;
    for (const ServegenClient& client : data->clients) {
      start = std::min(start, client.windows.front().start_s);
    }
    std::vector<double> rate(144);
    for (const ServegenClient& client : data->clients) {
      for (const ServegenWindow& window : client.windows) {
        const auto cell = static_cast<std::size_t>((window.start_s - start) / 600);
        if (cell < rate.size()) rate[cell] += window.rate_rps;
      }
    }
    look_from_everywhere(rate, 40, 1, 600, 8, coverage);
    look_from_everywhere(rate, 40, 12, 600, 8, coverage);
  }
  EXPECT_GE(coverage.share(), 0.85);
  EXPECT_LE(coverage.share(), 0.95);
}

}  // namespace
}  // namespace plimsoll
