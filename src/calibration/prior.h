// What is believed of a correction before anything was measured, and which of its terms are fitted.
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/experiment.h"
#include "perf/correction.h"

namespace plimsoll {

struct PriorTerm {
  std::size_t number = 0;  ///< in correction_terms()
  double mean = 0;
  double deviation = 1;
  double start = 0;
  double least = 0;
  double difference = 0.1;  ///< of differences, in deviations
};

/// Parameters x count deviations from the mean.
struct Prior {
  std::vector<PriorTerm> free;

  std::vector<double> start() const;
  /// Of the terms that are not free: those of a correction that changes nothing.
  Correction correction(const std::vector<double>& x) const;
  std::vector<double> within_bounds(std::vector<double> x) const;
};

/// Of a model that is about right: the scale 1 +- 0.15, every other term 0 +- what 15 % of a usual
/// step amount to. `few`: the scale, and the client's time per request, alone.
Prior prior_of_correction(const std::vector<Experiment>& experiments, bool few);

/// Of a law that stands alone: nearly nothing, but that no term is negative.
Prior prior_of_law(const std::vector<Experiment>& experiments);

}  // namespace plimsoll
