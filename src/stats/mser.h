// Where the warm-up of a series ends: MSER-5 (White 1997; Spratt 1998; White, Cobb and Spratt
// 2000). The cut is the one after which the mean is known best.
#pragma once

#include <cstddef>
#include <span>

namespace plimsoll {

struct WarmupCut {
  std::size_t observations = 0;  ///< to leave out from the start
  /// False when the best cut lies at the end of the searched half: the series may still be
  /// drifting, and the cut says nothing.
  bool settled = false;
};

/// Minimises the squared standard error over cuts in the first half of the means of five
/// observations each. Not settled when there are fewer than ten of those means.
WarmupCut mser5(std::span<const double> series);

}  // namespace plimsoll
