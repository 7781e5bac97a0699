#include "forecast_kinds/kinds.h"

#include <algorithm>
#include <cmath>

#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr std::uint64_t kPerContinuation = 1 << 20;

double between(double low, double high, double share) { return low + (high - low) * share; }

bool is_weekend(std::size_t t) { return t % 7 >= 5; }

double flat(std::uint64_t, std::size_t) { return 100; }

double linear(std::uint64_t seed, std::size_t t) {
  return 100 * (1 + between(0.002, 0.008, of_series(seed, 0)) * static_cast<double>(t));
}

double linear_weeks(std::uint64_t seed, std::size_t t) {
  const double growth = between(0.004, 0.016, of_series(seed, 0));
  return (is_weekend(t) ? 70 : 100) * (1 + growth * static_cast<double>(t));
}

double compound(std::uint64_t seed, std::size_t t) {
  const double weekly = between(1.02, 1.04, of_series(seed, 0));
  return 20 * portable_pow(weekly, static_cast<double>(t) / 7);
}

double saturating(std::uint64_t seed, std::size_t t) {
  const double middle = between(50, 110, of_series(seed, 0));
  return 20 + 80 / (1 + portable_exp((middle - static_cast<double>(t)) / 18));
}

// Growth of 2 to 4 % a week, which changes 3 to 16 weeks before the end of the history.
double grown(std::uint64_t seed, double days) {
  return portable_pow(between(1.02, 1.04, of_series(seed, 0)), days / 7);
}

double days_to_change(std::uint64_t seed) { return 182 - 7 * between(3, 16, of_series(seed, 1)); }

double stopped(std::uint64_t seed, std::size_t t) {
  const double growing = std::min(static_cast<double>(t), days_to_change(seed));
  return (is_weekend(t) ? 16 : 20) * grown(seed, growing);
}

double began(std::uint64_t seed, std::size_t t) {
  const double growing = std::max(0.0, static_cast<double>(t) - days_to_change(seed));
  return (is_weekend(t) ? 80 : 100) * grown(seed, growing);
}

double line_began(std::uint64_t seed, std::size_t t) {
  const double growing = std::max(0.0, static_cast<double>(t) - days_to_change(seed));
  return (is_weekend(t) ? 80 : 100) * (1 + between(0.01, 0.04, of_series(seed, 1)) * growing);
}

double steep(std::uint64_t seed, std::size_t t) {
  const double per_day = between(0.02, 0.05, of_series(seed, 0));
  return (is_weekend(t) ? 8 : 10) * portable_exp(per_day * static_cast<double>(t));
}

double shift(std::uint64_t seed, std::size_t t) {
  const auto ago = static_cast<std::size_t>(between(14, 57, of_series(seed, 0)));
  const double size = between(1.3, 1.8, of_series(seed, 1));
  const double weekend = is_weekend(t) ? 0.8 : 1;
  if (t + ago < 126) return 100 * weekend;
  return 100 * weekend * (of_series(seed, 2) < 0.7 ? size : 1 / size);
}

// A change of level over 7 to 28 days that ended 2 to 8 weeks before the end of the history.
double ramped(std::uint64_t seed, std::size_t t, double times) {
  const double days = std::floor(between(7, 29, of_series(seed, 0)));
  const double end = 182 - std::floor(between(14, 57, of_series(seed, 1)));
  const double share = std::clamp((static_cast<double>(t) - end) / days + 1, 0.0, 1.0);
  return (is_weekend(t) ? 80 : 100) * (1 + (times - 1) * share);
}

double launch(std::uint64_t seed, std::size_t t) {
  return ramped(seed, t, between(1.3, 2, of_series(seed, 2)));
}

double drained(std::uint64_t seed, std::size_t t) {
  return ramped(seed, t, 1 / between(1.3, 2, of_series(seed, 2)));
}

double promotion(std::uint64_t seed, std::size_t t) {
  const auto length = static_cast<std::size_t>(between(5, 9, of_series(seed, 0)));
  const auto from = 126 - length - static_cast<std::size_t>(between(7, 64, of_series(seed, 1)));
  const double size = between(1.5, 3, of_series(seed, 2));
  return (is_weekend(t) ? 80 : 100) * (t >= from && t < from + length ? size : 1);
}

// Half of them are events, which end within two weeks.
double young_shift(std::uint64_t seed, std::size_t t) {
  const auto age = static_cast<std::size_t>(between(2, 7, of_series(seed, 0)));
  const double size = between(1.4, 1.8, of_series(seed, 1));
  const bool stays = of_series(seed, 2) < 0.5;
  const auto left = static_cast<std::size_t>(between(0, 14, of_series(seed, 3)));
  const bool is_on = t + age >= 126 && (stays || t < 126 + left);
  return (is_weekend(t) ? 80 : 100) * (is_on ? size : 1);
}

double weekly(std::uint64_t seed, std::size_t t) {
  return is_weekend(t) ? 100 * between(0.4, 0.7, of_series(seed, 0)) : 100;
}

// The end of the history is any day of the year.
double yearly(std::uint64_t seed, std::size_t t) {
  const auto first = static_cast<std::size_t>(365 * of_series(seed, 0));
  const std::size_t day = (first + t) % 365;
  const double november = day >= 304 && day < 334 ? 1.6 : 1;
  return 100 * november * (is_weekend(t) ? 0.8 : 1);
}

double drift_of_mix(std::uint64_t seed, std::size_t t) {
  const double growth = between(1.01, 1.03, of_series(seed, 0));
  const double grows = 20 * portable_pow(growth, static_cast<double>(t) / 7);
  return (is_weekend(t) ? 40 : 80) + (is_weekend(t) ? 1.3 : 0.9) * grows;
}

double growing_slowly(std::uint64_t seed, std::size_t t) {
  const double growth = between(0.99, 1.02, of_series(seed, 0));
  return (is_weekend(t) ? 60 : 100) * portable_pow(growth, static_cast<double>(t) / 7);
}

constexpr std::size_t kShort = 17;  // days

bool is_one_odd_day(std::uint64_t seed, std::size_t t) {
  return t == static_cast<std::size_t>(kShort * of_series(seed, 0));
}

double one_odd_day(std::uint64_t seed, std::size_t t) {
  const double size = between(3, 4, of_series(seed, 1));
  return (is_weekend(t) ? 80 : 100) * (is_one_odd_day(seed, t) ? size : 1);
}

// Half of them are events, which end within two weeks.
double high_end(std::uint64_t seed, std::size_t t) {
  const auto age = static_cast<std::size_t>(between(2, 5, of_series(seed, 0)));
  const double size = between(1.5, 2, of_series(seed, 1));
  const bool stays = of_series(seed, 2) < 0.5;
  const auto left = static_cast<std::size_t>(between(0, 14, of_series(seed, 3)));
  return 100 * (t + age >= kShort && (stays || t < kShort + left) ? size : 1);
}

constexpr std::size_t kHours = 24;

double hour_of_day(std::size_t t) { return t % kHours < 7 ? 40 : t % kHours < 20 ? 100 : 70; }

std::size_t any_weekday(std::uint64_t seed) {
  return static_cast<std::size_t>(7 * of_series(seed, 0));
}

std::size_t day_of_week(std::uint64_t seed, std::size_t t) {
  return (t / kHours + any_weekday(seed)) % 7;
}

double busy_weekend(std::uint64_t seed, std::size_t t) {
  const double size = between(1.4, 2, of_series(seed, 1));
  return hour_of_day(t) * (is_weekend(day_of_week(seed, t)) ? size : 1);
}

double busy_day(std::uint64_t seed, std::size_t t) {
  const double size = between(1.4, 2, of_series(seed, 1));
  return hour_of_day(t) * (day_of_week(seed, t) == 0 ? size : 1);
}

double quiet_weekend(std::uint64_t seed, std::size_t t) {
  return hour_of_day(t) * (is_weekend(day_of_week(seed, t)) ? 0.7 : 1);
}

double short_launch(std::uint64_t seed, std::size_t t) {
  const auto day = static_cast<std::size_t>(between(5, 9, of_series(seed, 1)));
  return hour_of_day(t) * (t >= kHours * day ? between(1.5, 2, of_series(seed, 2)) : 1);
}

// What kinds draw besides the noise of each step.
double multiplied(const Kind& kind, double noise, RandomStream& stream, std::size_t t) {
  const bool has_spikes =
      kind.name == "spike" || (kind.name == "short, one odd day" && t >= kind.days);
  if (has_spikes && stream.uniform() < 1.0 / 60) {
    return between(2.5, 5, stream.uniform());
  }
  if (kind.name == "days out" && stream.uniform() < 0.06) return 0.02;
  if (kind.name == "days at three times" && stream.uniform() < 5.0 / 126)
    return 3 * portable_exp(noise);
  if (kind.name == "intermittent") {
    return stream.uniform() < 0.7 ? 0 : portable_exp(0.6 * draw_normal(stream));
  }
  if (kind.name == "growing variance") {
    return portable_exp(noise *
                        (0.4 + 2 * static_cast<double>(t) / static_cast<double>(kind.days)));
  }
  return portable_exp(noise);
}

}  // namespace

std::size_t first_weekday(const Kind& kind, std::uint64_t seed) {
  return kind.steps_per_day == kHours ? any_weekday(seed) : 0;
}

std::span<const Kind> kinds() {
  static constexpr Kind kKinds[] = {
      {"flat", "the same every day", 126, 28, flat},
      {"flat, far ahead", "the same", 182, 90, flat},
      {"linear", "0.2 to 0.8 % of the first day more every day", 182, 28, linear},
      {"linear with weekends",
       "0.4 to 1.6 % of the first day more every day, weekends of 0.7, noise of 3 %", 182, 60,
       linear_weeks, 0.03},
      {"compound", "2 to 4 % more every week", 182, 56, compound},
      {"compound, far ahead", "the same", 182, 90, compound},
      {"saturating", "an S-curve from 20 to 100", 182, 28, saturating},
      {"growth that stopped", "2 to 4 % more every week until 3 to 16 weeks ago", 182, 56, stopped},
      {"growth that began", "2 to 4 % more every week since 3 to 16 weeks", 182, 56, began},
      {"a line that began", "1 to 4 % of the level more every day since 3 to 16 weeks", 182, 28,
       line_began},
      {"steep compound", "2 to 5 % more every day, noise of 3 %", 90, 28, steep, 0.03},
      {"shift", "1.3 to 1.8 times as much, or so many times less, since 2 to 8 weeks", 126, 28,
       shift},
      {"launch with a ramp", "1.3 to 2 times as much, over 7 to 28 days, since 2 to 8 weeks", 182,
       28, launch},
      {"fall with a ramp", "so many times less, over as many days, since 2 to 8 weeks", 182, 28,
       drained},
      {"spike", "one day in 60 has 2.5 to 5 times as much", 126, 28, flat},
      {"days at three times", "five days of 126 have three times as much", 126, 28, flat},
      {"days out", "6 % of the days have next to nothing", 126, 28, flat},
      {"promotion of a week", "1.5 to 3 times as much for 5 to 8 days, 1 to 9 weeks ago", 126, 28,
       promotion},
      {"young shift",
       "1.4 to 1.8 times as much since 2 to 6 days; half of them end within two weeks", 126, 28,
       young_shift},
      {"weekly", "weekends of 0.4 to 0.7", 84, 90, weekly},
      {"yearly", "each November 1.6 times as much", 1095, 60, yearly},
      {"intermittent", "nothing on 7 days of 10", 126, 28, flat},
      {"drift of mix", "two routes, of which one grows by 1 to 3 % a week", 182, 28, drift_of_mix},
      {"growing variance", "noise that becomes six times as large", 182, 28, flat},
      {"short", "24 days, -1 to 2 % a week", 24, 28, growing_slowly},
      {"short, one odd day", "3 to 4 times as much; of the days to come, one in 60 is odd", kShort,
       28, one_odd_day},
      {"short, high end",
       "1.5 to 2 times as much since 2 to 4 days; half of them end within two weeks", kShort, 28,
       high_end},
      {"hours, busy weekend", "1.4 to 2 times as much every weekend", 9, 28, busy_weekend, 0.08,
       0.8, kHours},
      {"hours, busy day", "1.4 to 2 times as much on one day of each week", 9, 28, busy_day, 0.08,
       0.8, kHours},
      {"hours, launch", "1.5 to 2 times as much since 2 to 5 days", 10, 28, short_launch, 0.08, 0.8,
       kHours},
      {"hours of a week", "weekends of 0.7", 7, 28, quiet_weekend, 0.08, 0.8, kHours},
      {"hours of five days", "the same", 5, 28, quiet_weekend, 0.08, 0.8, kHours},
      {"lasting noise", "of which 0.8 stays to the next day", 182, 28, flat, 0.08, 0.8},
      {"walk", "changes of 3 % a day, all of which stay", 182, 28, flat, 0.03, 1},
  };
  return kKinds;
}

double of_series(std::uint64_t seed, std::uint64_t index) {
  return RandomStream(seed, Purpose::import_window, index).uniform();
}

std::vector<double> draw_series(const Kind& kind, std::uint64_t seed, std::uint64_t continuation) {
  std::vector<double> series;
  double noise = 0;
  const double fresh = kind.kept < 1 ? std::sqrt(1 - kind.kept * kind.kept) : 1;
  for (std::size_t t = 0; t < kind.known_steps() + kind.steps_ahead(); ++t) {
    const std::uint64_t drawn = t < kind.known_steps() ? 0 : (continuation + 1) * kPerContinuation;
    RandomStream stream(seed, Purpose::arrival, t + drawn);
    noise = kind.kept * noise + fresh * kind.noise * draw_normal(stream);
    series.push_back(kind.level(seed, t) * multiplied(kind, noise, stream, t));
  }
  return series;
}

}  // namespace plimsoll
