#include "forecast/outlook/backtest.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "forecast/outlook/bends.h"
#include "forecast/outlook/error_law.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestBefore = 8;  // before an origin
// A simple rule is taken up to so many times the error of the combination: the last value promises
// nothing, but the last season repeats its noise, from which peaks are too high.
constexpr double kLastValue = 1.1;
constexpr double kLastSeason = 0.95;

using Forecasts = std::vector<std::vector<double>>;  // by method

std::vector<ForecastMethod> basic_methods(std::size_t season) {
  std::vector<ForecastMethod> methods{ForecastMethod::naive,  ForecastMethod::seasonal_naive,
                                      ForecastMethod::steady, ForecastMethod::trend,
                                      ForecastMethod::growth, ForecastMethod::holt_winters};
  if (season == 1) methods.erase(methods.begin() + 1);
  return methods;
}

// The basic methods at origins that never go back. Rates of smoothing are fitted anew whenever the
// history has grown by half.
class RollingForecasts {
 public:
  RollingForecasts(std::span<const double> y, const BackTestOptions& options, std::size_t horizon,
                   std::size_t trusted)
      : y_(y),
        options_(options),
        horizon_(horizon),
        trusted_(trusted),
        smoothing_(y.first(options.season), options.season, {}) {}

  std::vector<double> by(ForecastMethod method, std::size_t origin) {
    const auto known = y_.first(origin);
    const std::size_t season = options_.season;
    if (method == ForecastMethod::seasonal_naive)
      return seasonal_naive_forecast(known, season, horizon_);
    if (method == ForecastMethod::steady) return steady_forecast(known, season, horizon_);
    if (method == ForecastMethod::trend)
      return straight_forecast(known, season, horizon_, trusted_);
    if (method == ForecastMethod::growth) return line_forecast(known, season, horizon_, trusted_);
    if (method == ForecastMethod::holt_winters) return smoothed(known);
    return naive_forecast(known, horizon_);
  }

 private:
  std::vector<double> smoothed(std::span<const double> known) {
    if (2 * known.size() >= 3 * fitted_) {
      fitted_ = known.size();
      smoothing_ = HoltWinters(known, options_.season, fit_holt_winters(known, options_.season));
      absorbed_ = 0;
    }
    for (; absorbed_ < known.size(); ++absorbed_) smoothing_.absorb(known[absorbed_]);
    return smoothing_.forecast(horizon_);
  }

  std::span<const double> y_;
  const BackTestOptions& options_;
  std::size_t horizon_;
  std::size_t trusted_;
  HoltWinters smoothing_;
  std::size_t fitted_ = 0;    // values that its rates were fitted to
  std::size_t absorbed_ = 0;  // values
};

// Weights of the methods in the combination, as they were at some moment: a high power of the
// reciprocal of the mean absolute error known by then (Bates and Granger 1969 for the second
// power). An error counts half as much after each quarter of the series, so that growth that has
// ended is left in time. The last value has a weight where there is no season; repeating the last
// season, which is repeating its noise, has none.
class Weights {
 public:
  Weights(const BackTest& test, std::size_t values)
      : test_(test), kept_(1 - kQuarter / static_cast<double>(values)) {
    for (const MethodScore& score : test.scores) {
      std::vector<double>& sums = sizes_.emplace_back();
      for (std::size_t j = 0; j < test.origins.size(); ++j) sums.push_back(score.errors.size(j));
    }
  }

  std::vector<double> at(std::size_t moment) const {
    std::vector<double> sums;
    for (const std::vector<double>& sizes : sizes_) {
      double sum = 0;
      for (std::size_t j = 0; j < sizes.size(); ++j) {
        if (test_.origins[j] + test_.scores[0].errors.steps > moment) break;
        sum += sizes[j] * portable_pow(kept_, static_cast<double>(moment - test_.origins[j]));
      }
      sums.push_back(sum);
    }
    double least = sums.front();
    for (std::size_t m = 0; m < sums.size(); ++m) {
      if (counts(m)) least = std::min(least, sums[m]);
    }
    double all = 0;
    for (std::size_t m = 0; m < sums.size(); ++m) {
      sums[m] = !counts(m) ? 0 : sums[m] > least ? portable_pow(least / sums[m], kPower) : 1;
      all += sums[m];
    }
    for (double& weight : sums) weight /= all;
    return sums;
  }

 private:
  static constexpr double kPower = 8;
  static constexpr double kQuarter = 4 * 0.693;  // ln 2

  bool counts(std::size_t m) const {
    return !is_simple(test_.scores[m].method) || !is_simple(test_.scores[1].method);
  }

  const BackTest& test_;
  double kept_;                             // from step to step
  std::vector<std::vector<double>> sizes_;  // [method][origin], mean absolute errors
};

// Both lines do about as well at the distances that were tested, and part beyond: all of the series
// tells better which one it is.
void divide_lines(const BackTest& test, double compound, std::vector<double>* weights) {
  const auto weight_of = [&](ForecastMethod method) {
    return weights->begin() +
           (std::ranges::find(test.scores, method, &MethodScore::method) - test.scores.begin());
  };
  const auto trend = weight_of(ForecastMethod::trend);
  const auto growth = weight_of(ForecastMethod::growth);
  const double both = *trend + *growth;
  *growth = both * compound;
  *trend = both - *growth;
}

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
  return sum > 0 ? sum / static_cast<double>(y.size() - season) : 1;
}

// `combined`: the error of the combination with the weights that were known at each origin.
void choose(BackTest& test, double combined) {
  const auto by_mase = [](const MethodScore& a, const MethodScore& b) { return a.mase < b.mase; };
  const auto end_of_simple = std::find_if(test.scores.begin(), test.scores.end(),
                                          [](const auto& s) { return !is_simple(s.method); });
  const auto simple = std::min_element(test.scores.begin(), end_of_simple, by_mase);
  const double as_good = simple->method == ForecastMethod::naive ? kLastValue : kLastSeason;
  test.simple_is_as_good = simple->mase <= as_good * combined;
  test.chosen = test.simple_is_as_good ? simple->method : ForecastMethod::combination;
}

}  // namespace

const MethodScore* BackTest::score(ForecastMethod method) const {
  return find_in(scores, method, &MethodScore::method);
}

std::size_t first_origin(std::size_t values, const BackTestOptions& options) {
  return std::max({kFewestBefore, 2 * options.season + 2, values / 3});
}

BackTest back_test(std::span<const double> y, const BackTestOptions& options) {
  const std::vector<ForecastMethod> methods = basic_methods(options.season);
  BackTest test;
  test.origins = spread_origins(y.size(), options);
  test.scale = mean_absolute_change(y, options.season);
  for (const ForecastMethod method : methods) test.scores.push_back({method, 0, {}});
  RollingForecasts rolling(y, options, options.horizon, options.horizon);
  std::vector<Forecasts> forecasts;  // by origin
  for (const std::size_t origin : test.origins) {
    test.spread.push_back(local_spread(y.first(origin), options.season));
    Forecasts& each = forecasts.emplace_back();
    for (const ForecastMethod method : methods) each.push_back(rolling.by(method, origin));
    for (std::size_t m = 0; m < methods.size(); ++m) {
      test.scores[m].errors.add(y.subspan(origin), each[m]);
    }
  }
  const Weights weights(test, y.size());
  test.weights = weights.at(y.size());
  divide_lines(test, chance_of_compound(y, options.season), &test.weights);
  MethodScore combination{ForecastMethod::combination, 0, {}};
  ErrorTable as_it_was;
  for (std::size_t j = 0; j < test.origins.size(); ++j) {
    const auto came = y.subspan(test.origins[j]);
    combination.errors.add(came, combined(forecasts[j], test.weights));
    as_it_was.add(came, combined(forecasts[j], weights.at(test.origins[j])));
  }
  for (MethodScore& score : test.scores) score.mase = score.errors.mean_size() / test.scale;
  combination.mase = combination.errors.mean_size() / test.scale;
  test.scores.push_back(std::move(combination));
  choose(test, as_it_was.mean_size() / test.scale);
  return test;
}

std::vector<double> forecast_by(ForecastMethod method, std::span<const double> y,
                                const BackTestOptions& options, std::span<const double> weights,
                                std::size_t horizon, std::size_t trusted) {
  RollingForecasts rolling(y, options, horizon, trusted);
  if (method != ForecastMethod::combination) return rolling.by(method, y.size());
  Forecasts forecasts;
  for (const ForecastMethod basic : basic_methods(options.season)) {
    forecasts.push_back(rolling.by(basic, y.size()));
  }
  return combined(forecasts, weights);
}

}  // namespace plimsoll
