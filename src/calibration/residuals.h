// How far a corrected model is from the measurements of several experiments: the logarithms of
// predicted / measured. Every third block is held out of the fit; what is fitted is compared by
// cells of alike measurements.
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/experiment.h"
#include "perf/calibration.h"

namespace plimsoll {

class Residuals {
 public:
  /// The experiments must outlive this. Without `correct_base` the bases count for nothing.
  Residuals(const std::vector<Experiment>& experiments, bool correct_base);

  std::size_t fitted() const { return fitted_; }
  Measure measure(std::size_t i) const { return facts_[i].what; }
  bool is_held_out(std::size_t i) const { return facts_[i].held_out; }

  /// The residuals of all measurements, held-out ones included. What the simulation does not give
  /// is as wrong as the worst that counts.
  std::vector<double> at(const Correction& correction) const;

  /// The medians of the fitted ones by cell.
  std::vector<double> by_cell(const std::vector<double>& residuals) const;

  /// How uncertain those medians are: by the scatter within cells, and no less than the cells of a
  /// kind of measurement scatter around their common median (Birge, Physical Review 40, 1932).
  std::vector<double> deviations(const std::vector<double>& residuals) const;

 private:
  struct Fact {
    Measure what;
    bool held_out;
  };
  struct Cell {
    Measure what = Measure::ttft;
    std::vector<std::size_t> members;
  };

  double scatter_within(Measure what, const std::vector<double>& residuals) const;

  const std::vector<Experiment>& experiments_;
  bool correct_base_;
  std::vector<Fact> facts_;
  std::vector<Cell> cells_;
  std::size_t fitted_ = 0;
};

// The beliefs about a correction before anything was measured, and which of its terms are fitted.

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
  /// The correction with these free terms; the others are those of a correction that changes
  /// nothing.
  Correction correction(const std::vector<double>& x) const;
  std::vector<double> within_bounds(std::vector<double> x) const;
};

/// The prior of a model that is about right but for a `factor`: the scale is that +- 15 %, every
/// other term 0 +- what 15 % of a usual step amount to; what requests, tokens and the client add is
/// never below 0. `few`: the scale, and the client's time per request, alone.
Prior prior_of_correction(const std::vector<Experiment>& experiments, bool few, double factor);

/// The prior of a law that stands alone: nearly nothing, but that no term is negative. A search
/// starts with this `share` of the time of a usual step in what every step takes, and a fifth
/// of the rest in what requests add to it.
Prior prior_of_law(const std::vector<Experiment>& experiments, double share);

}  // namespace plimsoll
