#include "forecast/outlook/methods.h"

#include <algorithm>
#include <cassert>

#include "base/lists.h"
#include "forecast/outlook/bends.h"
#include "forecast/outlook/season.h"
#include "random/portable_math.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostAverages = 64;
constexpr std::size_t kSteadySeasons = 8;
constexpr std::size_t kLineSeasons = 13;
constexpr double kUnclear = 2;  // squares of the standard error

// The last `seasons`, of seven steps where there is none, or `least` steps; whole seasons.
std::span<const double> recent_part(std::span<const double> y, std::size_t season,
                                    std::size_t seasons, std::size_t least) {
  const std::size_t wanted = std::max(least, seasons * (season == 1 ? 7 : season));
  const std::size_t steps = std::min(y.size(), wanted);
  return y.last(steps - steps % season);
}

// Slope per step: the median over all pairs of averages of whole seasons, counted from the end.
double theil_sen_slope(std::span<const double> y, std::size_t season) {
  const std::size_t seasons = y.size() / season;
  const std::size_t together = (seasons + kMostAverages - 1) / kMostAverages;
  const std::size_t width = together * season;
  const std::size_t count = y.size() / width;
  const auto used = y.last(count * width);
  std::vector<double> averages(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const double v : used.subspan(i * width, width)) averages[i] += v;
    averages[i] /= static_cast<double>(width);
  }
  std::vector<double> slopes;
  for (std::size_t j = 1; j < count; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      slopes.push_back((averages[j] - averages[i]) / static_cast<double>((j - i) * width));
    }
  }
  return slopes.empty() ? 0 : middle_of(slopes);
}

// Of a slope what its standard error does not explain (the positive part of James and Stein 1961):
// growth that noise would show as well is none.
double clear_part(double slope, double error) {
  if (slope == 0) return 0;
  const double doubt = kUnclear * error * error / (slope * slope);
  return slope * std::max(0.0, 1 - doubt);
}

double squared_error(std::span<const double> y, std::size_t season, const HoltWintersRates& rates) {
  HoltWinters state(y, season, rates);
  double squares = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double error = y[t] - state.expected();
    if (t >= season) squares += error * error;
    state.absorb(y[t]);
  }
  return squares;
}

// Tries each rate a step up and down, with steps that shrink.
HoltWintersRates refined(std::span<const double> y, std::size_t season, HoltWintersRates best,
                         double least) {
  struct Range {
    double HoltWintersRates::*rate;
    double low, high, step;
  };
  const Range ranges[] = {{&HoltWintersRates::level, 0.01, 0.99, 0.1},
                          {&HoltWintersRates::trend, 0, 0.5, 0.04},
                          {&HoltWintersRates::season, 0, 0.9, 0.1},
                          {&HoltWintersRates::damping, 0.7, 0.995, 0.04}};
  for (double scale = 1; scale > 0.1; scale /= 2) {
    for (const Range& range : ranges) {
      if (range.rate == &HoltWintersRates::season && season == 1) continue;
      for (const double step : {-scale * range.step, scale * range.step}) {
        HoltWintersRates tried = best;
        tried.*range.rate = std::clamp(tried.*range.rate + step, range.low, range.high);
        const double squares = squared_error(y, season, tried);
        if (squares >= least) continue;
        least = squares;
        best = tried;
      }
    }
  }
  return best;
}

constexpr double kPause = 0.02;  // of the middle of those that are not zero
constexpr double kOften = 0.1;   // of all values
constexpr double kLargestLog = 100;

}  // namespace

Choices<ForecastMethod> forecast_methods() {
  static constexpr Choice<ForecastMethod> kMethods[] = {
      {"naive", ForecastMethod::naive, "the last value"},
      {"seasonal_naive", ForecastMethod::seasonal_naive, "the value of one season ago"},
      {"steady", ForecastMethod::steady, "the usual values of the last eight seasons"},
      {"trend", ForecastMethod::trend, "a robust straight line with the pattern of the season"},
      {"growth", ForecastMethod::growth, "robust compound growth with the pattern of the season"},
      {"holt_winters", ForecastMethod::holt_winters,
       "level, damped growth and season, each smoothed"},
      {"combination", ForecastMethod::combination,
       "their average, weighted by how well each did so far"},
  };
  return kMethods;
}

std::vector<double> naive_forecast(std::span<const double> y, std::size_t horizon) {
  return std::vector<double>(horizon, y.back());
}

std::vector<double> seasonal_naive_forecast(std::span<const double> y, std::size_t season,
                                            std::size_t horizon) {
  const auto last = y.last(season);
  std::vector<double> forecast(horizon);
  for (std::size_t h = 0; h < horizon; ++h) forecast[h] = last[h % season];
  return forecast;
}

std::vector<double> steady_forecast(std::span<const double> y, std::size_t season,
                                    std::size_t horizon) {
  const auto recent = recent_part(y, season, kSteadySeasons, 0);
  const std::vector<double> usual = middles_of(recent, season);
  std::vector<double> forecast(horizon);
  for (std::size_t h = 0; h < horizon; ++h) forecast[h] = usual[h % season];
  return forecast;
}

std::vector<double> line_forecast(std::span<const double> all, std::size_t season,
                                  std::size_t horizon, std::size_t trusted) {
  const auto y = recent_part(all, season, kLineSeasons, all.size() * 3 / 4);
  const double slope = clear_part(theil_sen_slope(y, season), line_growth_of(y, season).error);
  const double last = static_cast<double>(y.size() - 1);
  std::vector<double> rest;
  for (std::size_t t = 0; t < y.size(); ++t)
    rest.push_back(y[t] + slope * (last - static_cast<double>(t)));
  const std::vector<double> off = middles_of(rest, season);
  std::vector<double> forecast(horizon);
  double rise = 0;
  double step = slope;
  for (std::size_t h = 0; h < horizon; ++h) {
    if (h >= trusted) step *= 1 - 1 / static_cast<double>(trusted);
    rise += step;
    forecast[h] = rise + off[(y.size() + h) % season];
  }
  return forecast;
}

std::vector<double> straight_forecast(std::span<const double> logs, std::size_t season,
                                      std::size_t horizon, std::size_t trusted) {
  constexpr double kLeast = 0.1;  // of the least value
  const std::vector<double> pattern = pattern_of_season(logs, season);
  std::vector<double> values;
  for (std::size_t t = 0; t < logs.size(); ++t)
    values.push_back(portable_exp(logs[t] - pattern[t % season]));
  const double least = kLeast * *std::ranges::min_element(values);
  std::vector<double> forecast = line_forecast(values, season, horizon, trusted);
  for (std::size_t h = 0; h < horizon; ++h) {
    forecast[h] = portable_log(std::max(forecast[h], least)) + pattern[(logs.size() + h) % season];
  }
  return forecast;
}

HoltWinters::HoltWinters(std::span<const double> y, std::size_t season, HoltWintersRates rates)
    : rates_(rates), season_(season, 0.0) {
  assert(season >= 1 && y.size() >= season);
  if (season == 1) {
    level_ = mean_of(y.first(std::min<std::size_t>(y.size(), 4)));
    return;
  }
  const double first = mean_of(y.first(season));
  const auto length = static_cast<double>(season);
  const std::size_t seasons = y.size() >= 2 * season ? 2 : 1;
  if (seasons == 2) trend_ = (mean_of(y.subspan(season, season)) - first) / length;
  level_ = first - trend_ * (length + 1) / 2;
  for (std::size_t t = 0; t < seasons * season; ++t) {
    season_[t % season] +=
        (y[t] - level_ - trend_ * static_cast<double>(t + 1)) / static_cast<double>(seasons);
  }
}

void HoltWinters::absorb(double value) {
  const double before = level_;
  const double steady = level_ + rates_.damping * trend_;
  double& season = season_[phase_];
  level_ = rates_.level * (value - season) + (1 - rates_.level) * steady;
  trend_ = rates_.trend * (level_ - before) + (1 - rates_.trend) * rates_.damping * trend_;
  if (season_.size() == 1) return;
  season = rates_.season * (value - steady) + (1 - rates_.season) * season;
  phase_ = phase_ + 1 == season_.size() ? 0 : phase_ + 1;
}

std::vector<double> HoltWinters::forecast(std::size_t horizon) const {
  std::vector<double> forecast(horizon);
  double growth = 0;
  double step = trend_;
  std::size_t phase = phase_;
  for (double& value : forecast) {
    step *= rates_.damping;
    growth += step;
    value = level_ + growth + season_[phase];
    phase = phase + 1 == season_.size() ? 0 : phase + 1;
  }
  return forecast;
}

HoltWintersRates fit_holt_winters(std::span<const double> y, std::size_t season) {
  const std::vector<double> seasonal_rates =
      season > 1 ? std::vector{0.05, 0.2, 0.5} : std::vector{0.0};
  HoltWintersRates best;
  double least = -1;
  for (const double level : {0.05, 0.2, 0.5, 0.8}) {
    for (const double trend : {0.01, 0.1, 0.3}) {
      for (const double seasonal : seasonal_rates) {
        for (const double damping : {0.8, 0.9, 0.98}) {
          const HoltWintersRates rates{level, trend, seasonal, damping};
          const double squares = squared_error(y, season, rates);
          if (least >= 0 && squares >= least) continue;
          least = squares;
          best = rates;
        }
      }
    }
  }
  return refined(y, season, best, least);
}

LogScale::LogScale(std::span<const double> values) {
  std::vector<double> positive;
  for (const double v : values) {
    if (v > 0) positive.push_back(v);
  }
  unit_ = median_of(positive);
  const auto pauses_in = [&](std::span<const double> some) {
    const auto pauses = std::ranges::count_if(some, [&](double v) { return is_pause(v); });
    return some.empty() ? 0 : static_cast<double>(pauses) / static_cast<double>(some.size());
  };
  const double share = pauses_in(values);
  if (share > 0) floor_ = share > kOften ? 1 : 0.1;
  std::span<const double> since_first = values;
  while (!since_first.empty() && is_pause(since_first.front()))
    since_first = since_first.subspan(1);
  while (!since_first.empty() && is_pause(since_first.back()))
    since_first = since_first.first(since_first.size() - 1);
  comes_and_goes_ = pauses_in(since_first) > kOften;
}

std::vector<double> LogScale::logs_of(std::span<const double> values) const {
  return mapped(values, [&](const double v) {
    return unit_ > 0 ? portable_log((v / unit_ + floor_) / (1 + floor_)) : 0;
  });
}

double LogScale::value_of(double log) const {
  const double units = portable_exp(std::min(log, kLargestLog)) * (1 + floor_) - floor_;
  return unit_ * std::max(0.0, units);
}

bool LogScale::is_pause(double value) const { return value < kPause * unit_; }

double LogScale::times(double log, double before) const {
  const double was = value_of(before);
  const double is = value_of(log);
  if (floor_ == 0 || is <= 0) return portable_exp(log - before);
  return is / std::max(was, kPause * unit_);
}

}  // namespace plimsoll
