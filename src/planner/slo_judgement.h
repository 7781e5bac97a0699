// What one run says of each SLO: its figure, how sure that is, and whether the limit is kept.
// Called by planner/load_probe.h, which asks longer and longer runs.
#pragma once

#include <vector>

#include "planner/load_probe.h"
#include "planner/slo_series.h"

namespace plimsoll {

struct SloLook {
  double level = 0.95;  ///< of the interval that decides
  double share = 1;     ///< of the longest run that may come
  double warmup_s = 0;  ///< never counted, whatever the verdict
};

/// In the order of the SLOs.
std::vector<SloFigure> slo_figures(const std::vector<Slo>& slos, const RunRecord& record,
                                   const GapStretches& gaps, const SteadyState& state,
                                   const SloLook& look);

}  // namespace plimsoll
