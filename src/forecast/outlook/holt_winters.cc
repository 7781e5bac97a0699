#include "forecast/outlook/holt_winters.h"

#include <algorithm>
#include <cassert>

#include "stats/average.h"

namespace plimsoll {
namespace {

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

}  // namespace

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

}  // namespace plimsoll
