#include "forecast/outlook/backtest.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/error_bands.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestBefore = 8;  // before an origin
constexpr double kAsGood = 1.05;

using Forecasts = std::vector<std::vector<double>>;  // by method

std::vector<ForecastMethod> basic_methods(std::size_t season) {
  std::vector<ForecastMethod> methods{ForecastMethod::naive, ForecastMethod::seasonal_naive,
                                      ForecastMethod::trend, ForecastMethod::holt_winters};
  if (season == 1) methods.erase(methods.begin() + 1);
  return methods;
}

// The basic methods at origins that never go back. Rates of smoothing are fitted anew whenever the
// history has grown by half.
class RollingForecasts {
 public:
  RollingForecasts(std::span<const double> y, const BackTestOptions& options)
      : y_(y), options_(options), smoothing_(y.first(options.season), options.season, {}) {}

  std::vector<double> by(ForecastMethod method, std::size_t origin) {
    const auto known = y_.first(origin);
    switch (method) {
      case ForecastMethod::seasonal_naive:
        return seasonal_naive_forecast(known, options_.season, options_.horizon);
      case ForecastMethod::trend:
        return trend_forecast(known, options_.season, options_.horizon);
      case ForecastMethod::holt_winters:
        return smoothed(known);
      default:
        return naive_forecast(known, options_.horizon);
    }
  }

 private:
  std::vector<double> smoothed(std::span<const double> known) {
    if (2 * known.size() >= 3 * fitted_) {
      fitted_ = known.size();
      smoothing_ = HoltWinters(known, options_.season, fit_holt_winters(known, options_.season));
      absorbed_ = 0;
    }
    for (; absorbed_ < known.size(); ++absorbed_) smoothing_.absorb(known[absorbed_]);
    return smoothing_.forecast(options_.horizon);
  }

  std::span<const double> y_;
  const BackTestOptions& options_;
  HoltWinters smoothing_;
  std::size_t fitted_ = 0;    // values that its rates were fitted to
  std::size_t absorbed_ = 0;  // values
};

// The weights of the combination: the reciprocal of the mean squared size of the errors known so
// far (Bates and Granger 1969), with the mean absolute error for the size.
class Weights {
 public:
  Weights(std::size_t methods, std::size_t values)
      : by_outcome_(methods, std::vector<double>(values)), sum_(methods) {}

  void add(std::size_t method, std::size_t outcome, double error) {
    by_outcome_[method][outcome] += std::fabs(error);
  }

  // From the outcomes before `origin`, which never goes back.
  std::vector<double> at(std::size_t origin) {
    for (; known_ < origin; ++known_) {
      for (std::size_t m = 0; m < sum_.size(); ++m) sum_[m] += by_outcome_[m][known_];
    }
    const double least = *std::min_element(sum_.begin(), sum_.end());
    std::vector<double> weights(sum_.size());
    double all = 0;
    for (std::size_t m = 0; m < sum_.size(); ++m) {
      const double ratio = sum_[m] > least ? least / sum_[m] : 1;
      all += weights[m] = ratio * ratio;
    }
    for (double& w : weights) w /= all;
    return weights;
  }

 private:
  std::vector<std::vector<double>> by_outcome_;  // [method][time]
  std::vector<double> sum_;                      // over known outcomes, by method
  std::size_t known_ = 0;
};

std::vector<double> combined(const Forecasts& forecasts, std::span<const double> weights) {
  std::vector<double> sum(forecasts.front().size());
  for (std::size_t m = 0; m < forecasts.size(); ++m) {
    for (std::size_t h = 0; h < sum.size(); ++h) sum[h] += weights[m] * forecasts[m][h];
  }
  return sum;
}

std::vector<std::size_t> spread_origins(std::size_t values, const BackTestOptions& options) {
  const std::size_t first = first_origin(values, options);
  const std::size_t last = values - options.horizon;
  const std::size_t count = std::min(options.most_origins, last - first + 1);
  std::vector<std::size_t> origins(count, last);
  for (std::size_t j = 0; j + 1 < count; ++j) origins[j] = first + j * (last - first) / (count - 1);
  return origins;
}

double mean_absolute_change(std::span<const double> y, std::size_t season) {
  double sum = 0;
  for (std::size_t t = season; t < y.size(); ++t) sum += std::fabs(y[t] - y[t - season]);
  return sum / static_cast<double>(y.size() - season);
}

void score_errors(MethodScore& score, const BackTest& test) {
  const ErrorTable& table = score.errors;
  score.mase_by_step.assign(table.steps, 0);
  for (std::size_t j = 0; j < table.origins(); ++j) {
    for (std::size_t h = 0; h < table.steps; ++h) {
      score.mase_by_step[h] += std::fabs(table.at(j, h));
    }
  }
  const double unit = test.scale > 0 ? test.scale : 1;  // a constant series: every error is 0
  for (double& mase : score.mase_by_step) {
    mase /= unit * static_cast<double>(table.origins());
    score.mase += mase / static_cast<double>(table.steps);
  }
}

void choose(BackTest& test) {
  const auto by_mase = [](const MethodScore& a, const MethodScore& b) { return a.mase < b.mase; };
  const auto best = std::min_element(test.scores.begin(), test.scores.end(), by_mase);
  const auto end_of_simple = std::find_if(test.scores.begin(), test.scores.end(),
                                          [](const auto& s) { return !is_simple(s.method); });
  const auto simple = std::min_element(test.scores.begin(), end_of_simple, by_mase);
  test.simple_is_as_good = simple->mase <= kAsGood * best->mase;
  test.chosen = test.simple_is_as_good ? simple->method : best->method;
}

}  // namespace

const MethodScore* BackTest::score(ForecastMethod method) const {
  const auto found = std::find_if(scores.begin(), scores.end(),
                                  [&](const MethodScore& s) { return s.method == method; });
  return found == scores.end() ? nullptr : &*found;
}

std::size_t first_origin(std::size_t values, const BackTestOptions& options) {
  const std::size_t third = values > options.horizon ? (values - options.horizon) / 3 : 0;
  return std::max({kFewestBefore, 2 * options.season + 2, third});
}

BackTest back_test(std::span<const double> y, const BackTestOptions& options) {
  const std::vector<ForecastMethod> methods = basic_methods(options.season);
  BackTest test;
  test.origins = spread_origins(y.size(), options);
  test.scale = mean_absolute_change(y, options.season);
  for (const ForecastMethod method : methods) test.scores.push_back({method, 0, {}, {}});
  test.scores.push_back({ForecastMethod::combination, 0, {}, {}});
  for (MethodScore& score : test.scores) {
    score.errors.steps = options.horizon;
    score.errors.errors.reserve(test.origins.size() * options.horizon);
  }
  RollingForecasts rolling(y, options);
  Weights weights(methods.size(), y.size());
  for (const std::size_t origin : test.origins) {
    test.spread.push_back(local_spread(y.first(origin), options.season));
    Forecasts forecasts;
    for (const ForecastMethod method : methods) forecasts.push_back(rolling.by(method, origin));
    forecasts.push_back(combined(forecasts, weights.at(origin)));
    for (std::size_t m = 0; m < forecasts.size(); ++m) {
      for (std::size_t h = 0; h < options.horizon; ++h) {
        const double error = y[origin + h] - forecasts[m][h];
        test.scores[m].errors.errors.push_back(error);
        if (m < methods.size()) weights.add(m, origin + h, error);
      }
    }
  }
  test.weights = weights.at(y.size());
  for (MethodScore& score : test.scores) score_errors(score, test);
  choose(test);
  return test;
}

std::vector<double> forecast_by(ForecastMethod method, std::span<const double> y,
                                const BackTestOptions& options, std::span<const double> weights) {
  RollingForecasts rolling(y, options);
  if (method != ForecastMethod::combination) return rolling.by(method, y.size());
  Forecasts forecasts;
  for (const ForecastMethod basic : basic_methods(options.season)) {
    forecasts.push_back(rolling.by(basic, y.size()));
  }
  return combined(forecasts, weights);
}

}  // namespace plimsoll
