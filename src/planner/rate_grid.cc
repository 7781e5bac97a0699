#include "planner/rate_grid.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

// Reports show four digits of a rate.
constexpr double kFinest = 1e-3;
// Of a step: what rounding to doubles may be off by.
constexpr double kSlack = 1e-6;

/// A step as a whole number of units, or a part of one: `times` and `per` are whole, one of them 1,
/// so that multiples are the doubles nearest to the decimal numbers.
struct GridStep {
  double times = 1;
  double per = 1;

  double count(double rate) const { return rate * per / times; }
  double rate(double count) const { return count * times / per; }
};

GridStep grid_step_at(double rate, double precision) {
  const double widest = rate * std::max(precision, kFinest) * (1 + kSlack);
  const auto power = static_cast<int>(std::floor(std::log10(widest)));
  const double mantissa = widest * std::pow(10.0, -power);
  const double digit = mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1;
  if (power >= 0) return {digit * std::pow(10.0, power), 1};
  return {1, std::round(std::pow(10.0, -power) / digit)};
}

}  // namespace

double on_rate_grid(double rate_rps, double precision) {
  const GridStep step = grid_step_at(rate_rps, precision);
  return step.rate(std::round(step.count(rate_rps)));
}

double next_rate_above(double rate_rps, double precision) {
  const GridStep step = grid_step_at(rate_rps, precision);
  return step.rate(std::floor(step.count(rate_rps) + kSlack) + 1);
}

double next_rate_below(double rate_rps, double precision) {
  const GridStep step = grid_step_at(rate_rps * (1 - 10 * kSlack), precision);
  return step.rate(std::ceil(step.count(rate_rps) - kSlack) - 1);
}

}  // namespace plimsoll
