// Which figures of the whole forecast a lever makes worse. Called by levers.cc.
#pragma once

#include <string>
#include <vector>

#include "planner/load_probe.h"

namespace plimsoll {

/// A smaller change of a figure, as a share of it, is none.
inline constexpr double kFelt = 0.03;

/// A figure that became worse. Of a load that is too much, the growth of its queue stands for its
/// latencies, which only say how long the test was.
struct Pressure {
  std::string what;  ///< "TPOT p99 ms"
  double before = 0;
  double after = 0;
};

std::vector<Pressure> worse_figures(const LoadProbe& tested_before, const LoadProbe& tested_after);

}  // namespace plimsoll
