// Exponential smoothing of level, damped trend and additive season: Hyndman and Athanasopoulos,
// Forecasting: Principles and Practice (3rd edition), 8.3 (Holt-Winters with damping; Gardner and
// McKenzie 1985). One pass over a series gives the state after every step, so that a back-test
// costs no more than a fit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

/// How much of each new observation goes into the state; all in [0, 1].
struct HoltWintersRates {
  double level = 0.2;
  double trend = 0.05;   ///< of the change of level
  double season = 0.1;   ///< no use without a season
  double damping = 0.9;  ///< of the trend, per step
};

class HoltWinters {
 public:
  /// Starts from the first two seasons of `y` (all of it, if there are fewer), of which none is
  /// absorbed yet. `season` 1 = none; at least one season of values.
  HoltWinters(std::span<const double> y, std::size_t season, HoltWintersRates rates);

  /// What the state expects of the next step.
  double expected() const { return level_ + rates_.damping * trend_ + season_[phase_]; }
  void absorb(double value);
  std::vector<double> forecast(std::size_t horizon) const;

 private:
  HoltWintersRates rates_;
  double level_ = 0;
  double trend_ = 0;  // per step
  std::vector<double> season_;
  std::size_t phase_ = 0;  // of the next step
};

/// The rates with the least squared one-step error after the first season: the best of a grid,
/// then refined. The same answer for the same values on every machine.
HoltWintersRates fit_holt_winters(std::span<const double> y, std::size_t season);

}  // namespace plimsoll
