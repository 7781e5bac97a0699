// A step of the level beside a slope, by least squares: called where shifts are told from growth
// (forecast/outlook/events.h).
#pragma once

#include <cstddef>
#include <span>

namespace plimsoll {

struct FittedStep {
  double size = 0;
  double squares = 0;  ///< that are left
  double error = 0;    ///< standard error of the size
};

/// Fits a step at `at` in the values [from, to), of which there are more than three.
FittedStep fit_step(std::span<const double> y, std::size_t from, std::size_t at, std::size_t to);

}  // namespace plimsoll
