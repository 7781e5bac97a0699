// Is there a steady state at all? A verdict before any number (docs/statistics.md).
#pragma once

#include <string>

namespace plimsoll {

enum class SteadyVerdict { steady, transient, overloaded, too_short };

struct SteadyState {
  SteadyVerdict verdict = SteadyVerdict::too_short;
  std::string reason;             ///< one sentence with the figures behind the verdict
  double warmup_s = 0;            ///< cut from the start before intervals are taken
  double backlog_growth_rps = 0;  ///< requests per second by which work in the system grows
};

}  // namespace plimsoll
