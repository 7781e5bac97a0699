#include "forecast/outlook/methods.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::size_t kMostAverages = 100;

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

}  // namespace

Choices<ForecastMethod> forecast_methods() {
  static constexpr Choice<ForecastMethod> kMethods[] = {
      {"naive", ForecastMethod::naive, "the last value"},
      {"seasonal_naive", ForecastMethod::seasonal_naive, "the value of one season ago"},
      {"trend", ForecastMethod::trend, "a robust straight line with the pattern of the season"},
      {"holt_winters", ForecastMethod::holt_winters,
       "level, damped trend and season, each smoothed"},
      {"combination", ForecastMethod::combination,
       "their average, weighted by how well each did so far"},
  };
  return kMethods;
}

double middle_of(std::span<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
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

std::vector<double> trend_forecast(std::span<const double> y, std::size_t season,
                                   std::size_t horizon) {
  const double slope = theil_sen_slope(y, season);
  const auto line = [&](std::size_t t) { return slope * static_cast<double>(t); };
  std::vector<double> off(season);
  std::vector<double> rest;
  for (std::size_t phase = 0; phase < season; ++phase) {
    rest.clear();
    for (std::size_t t = phase; t < y.size(); t += season) rest.push_back(y[t] - line(t));
    off[phase] = middle_of(rest);
  }
  std::vector<double> forecast(horizon);
  for (std::size_t h = 0; h < horizon; ++h) {
    const std::size_t t = y.size() + h;
    forecast[h] = line(t) + off[t % season];
  }
  return forecast;
}

}  // namespace plimsoll
