// Many compared cases as one table: per group and metric how far predictions are off, to which
// side, and how often their intervals hold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "validation/validate.h"

namespace plimsoll {

/// Errors in percent over the cases of the group; of a case with several stages or points, their
/// median counts.
struct ScoreRow {
  std::string group;
  std::string metric;  ///< "saturated": n verdicts, coverage90 = share of right ones
  std::size_t n = 0;
  double median_ape = 0;
  double mean_ape = 0;
  double p90_ape = 0;
  double bias = 0;        ///< median signed error, positive = predicted too much
  double coverage90 = 0;  ///< share of measurements within their intervals
};

/// Groups: `all` (engine vLLM, normal confidence; the plain average of what its sources have),
/// `source:`, `gpu:`, `model:`, `regime:` (the same cases), `engine:` (all of normal confidence)
/// and `confidence:low`.
std::vector<ScoreRow> scorecard(const std::vector<CaseResult>& cases);

}  // namespace plimsoll
