// A change of level that took days or weeks and has ended: a launch in stages, a region that was
// drained. A slope, and beside it a way from one level to another that is a straight line of the
// values, are fitted to logarithms for each moment at which that way may begin and each length of
// it (as Bai and Perron 1998 do for breaks). The best is a ramp if it leaves far fewer squares than
// a straight line of the logarithms or of the values and than a line with a bend
// (forecast/outlook/bends.h), and if what leaves least took days, not one (which is a step), and
// no more than five weeks: what takes longer is growth, and may go on, as a curve that saturates
// does until it has. Called where shifts are found (forecast/outlook/events.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace plimsoll {

struct Ramp {
  std::size_t at = 0;     ///< the first step that is off the old level
  std::size_t steps = 1;  ///< up to the first one on the new level, which is the last of them
  double log_size = 0;
};

/// How much of the logarithm's change is reached at a step: 0 before the ramp, `log_size` after it.
double reached(const Ramp& ramp, std::size_t step);

/// In logarithms without a weekly pattern and odd days; none that ended less than two weeks ago.
std::optional<Ramp> find_ramp(std::span<const double> rest);

}  // namespace plimsoll
