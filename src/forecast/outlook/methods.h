// The ways to continue a series of values at equal steps. All are pure functions of the values:
// given y[0 .. n) they give the expected values of the steps n, n + 1, ... Units are the caller's.
//
// Hyndman and Athanasopoulos, Forecasting: Principles and Practice (3rd edition), 5.2 for the naive
// ones; Sen (1968), and Hirsch, Slack and Smith (1982) for a slope between equal phases of the
// season; forecast/outlook/holt_winters.h for the smoothing. The combination of them is in
// backtest.h, which knows how well each did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/choice.h"

namespace plimsoll {

enum class ForecastMethod : std::uint8_t {
  naive,
  seasonal_naive,
  trend,
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

/// A straight line with the Theil-Sen slope (the median of the slopes between season averages; of
/// at most 100 averages), plus for each phase of the season the median of what lies off the line.
/// `season` 1 = none. At least two seasons of values.
std::vector<double> trend_forecast(std::span<const double> y, std::size_t season,
                                   std::size_t horizon);

/// The middle value (the mean of the two middle ones); at least one value. Reorders them.
double middle_of(std::span<double> values);

}  // namespace plimsoll
