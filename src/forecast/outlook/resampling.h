// Values that came, drawn again (a smoothed bootstrap: Efron 1979; Silverman 1986, 3.4.2 for the
// width). For demand that pauses often, whose logarithms lie in two heaps, between which no band
// around a level is right; and for few values, of whose shape nothing else is known. Where all
// values that are no pause are equal, so are those to come. Called where paths are drawn.
//
// Few values say only roughly how high they are, how often they pause and how far they spread: so
// each path has a sample of them, drawn with replacement, and a spread of its own (chi-square, as
// in Student's t).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll {

class Resampling {
 public:
  /// `usual`: on the present level, in units of demand. A step is like those of
  /// its phase of the season, 1 = none.
  /// Clear growth lifts what came long ago to the present; it goes on where `grows`.
  Resampling(std::span<const double> usual, std::size_t season, bool grows);

  std::vector<double> path(std::size_t horizon, std::uint64_t seed, std::size_t number) const;

 private:
  std::span<const double> usual_;
  std::size_t season_;
  bool grows_;
  std::vector<double> middle_;  // of the logarithms of each phase, but for growth
  double width_ = 0;            // of a logarithm around one that came
  double growth_ = 0;           // of the logarithm per step; 0 where it is not clear
  double freedom_ = 1;          // degrees by which it is known how far values lie off the middle
};

}  // namespace plimsoll
