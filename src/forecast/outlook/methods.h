// The ways to continue a series of values at equal steps. All are pure functions of the values:
// given y[0 .. n) they give the expected values of the steps n, n + 1, ... They are given
// logarithms, on which a line is compound growth.
//
// Hyndman and Athanasopoulos, Forecasting: Principles and Practice (3rd edition), 5.2 for the naive
// ones; Sen (1968), and Hirsch, Slack and Smith (1982) for a slope between equal phases of the
// season. The combination of them is in backtest.h, which knows how well each did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/choice.h"

namespace plimsoll {

// The scale on which demand is continued: logarithms, because demand grows by factors, is restless
// in proportion to its size and has seasons in proportion to it, too. A straight line there is
// compound growth. Units of the caller go in and come out.
//
// Where demand pauses (zero or nearly so) there is no logarithm: a floor is added first, the middle
// of the demand that is not zero where every tenth value pauses, a tenth of that where fewer do.

class LogScale {
 public:
  /// The scale of values >= 0. All powers of two times a series have the same logarithms.
  explicit LogScale(std::span<const double> values);

  std::vector<double> logs_of(std::span<const double> values) const;
  /// >= 0.
  double value_of(double log) const;
  /// Next to nothing.
  bool is_pause(double value) const;
  /// How many times the demand before that of a logarithm is; of next to nothing, at most 50 times.
  double times(double log, double before) const;
  /// A tenth of the values or more.
  bool pauses_often() const { return floor_ >= 1; }
  /// And so between the first and the last that is no pause: demand that comes and goes, not one
  /// that began or ended.
  bool comes_and_goes() const { return comes_and_goes_; }

 private:
  double unit_ = 1;   // 0 of a series that is 0 throughout
  double floor_ = 0;  // in units
  bool comes_and_goes_ = false;
};

enum class ForecastMethod : std::uint8_t {
  naive,
  seasonal_naive,
  steady,
  trend,
  growth,
  holt_winters,
  combination
};

Choices<ForecastMethod> forecast_methods();

/// The two that anybody can do by hand.
constexpr bool is_simple(ForecastMethod method) {
  return method == ForecastMethod::naive || method == ForecastMethod::seasonal_naive;
}

/// The last value, for ever. At least one value.
std::vector<double> naive_forecast(std::span<const double> y, std::size_t horizon);

/// The values of one season ago. At least one season of values.
std::vector<double> seasonal_naive_forecast(std::span<const double> y, std::size_t season,
                                            std::size_t horizon);

/// The middle of each phase (middles_of) over the last eight seasons (56 steps without a season, or
/// what there is).
std::vector<double> steady_forecast(std::span<const double> y, std::size_t season,
                                    std::size_t horizon);

/// A straight line with the Theil-Sen slope of the last three quarters of the series, 13 seasons at
/// least (the median of the slopes between season averages; of at most 64 averages), plus for each
/// phase of the season the middle of what lies off the line. Beyond `trusted` steps the slope
/// fades, so that the line never rises more than twice as far as it does until there. `season` 1 =
/// none. At least two seasons of values.
std::vector<double> line_forecast(std::span<const double> y, std::size_t season,
                                  std::size_t horizon, std::size_t trusted);

/// The same of the values whose logarithms are `logs`, with a pattern of the season in proportion
/// to the line: a weekend at 0.7 stays at 0.7, however high the line has risen. In logarithms; a
/// line falls no further than to a tenth of the least value without the pattern.
std::vector<double> straight_forecast(std::span<const double> logs, std::size_t season,
                                      std::size_t horizon, std::size_t trusted);

// Exponential smoothing of level, damped trend and additive season: Hyndman and Athanasopoulos,
// Forecasting: Principles and Practice (3rd edition), 8.3 (Holt-Winters with damping; Gardner and
// McKenzie 1985). One pass over a series gives the state after every step, so that a back-test
// costs no more than a fit.

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

  /// The value that the state expects of the next step.
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
