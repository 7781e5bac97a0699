// From the errors that a method made in the past to how far off it may be now. An error is what
// came less what was expected; there is one row of them per origin (a moment from which the method
// looked ahead) and one column per step ahead.
//
// With 19 errors or more at a step the quantiles are their conformal ranks, p (J + 1) of J: if past
// and future errors are exchangeable, a 90 % band covers 90 % of what comes, whatever the
// distribution (Vovk, Gammerman and Shafer 2005; Lei et al. 2018). With fewer, 5 % has no rank, and
// Student's t about the forecast stands in. Errors of neighbouring origins resemble each other, the
// more the longer the look ahead: J of them then say as much as J (1 - r) / (1 + r) independent
// ones, r their correlation, and the band is widened by the ratio of the two t quantiles.
//
// Demand that is quiet at night and restless by day makes errors of different sizes, so each is
// taken in units of how much the series moved before its origin (locally weighted conformal
// prediction: Lei et al. 2018, 5.2).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

struct ErrorTable {
  std::size_t steps = 0;
  std::vector<double> errors;  ///< row by row

  std::size_t origins() const { return steps == 0 ? 0 : errors.size() / steps; }
  double at(std::size_t origin, std::size_t step) const { return errors[origin * steps + step]; }
};

/// How much a series moves: the mean absolute change over one season (one step without a season),
/// half of it as in the whole history, half as in the last season or ten steps, whichever is
/// longer. 1 where nothing ever changes. More than `season` values.
double local_spread(std::span<const double> y, std::size_t season);

/// All errors that it gives are in units of the spread.
class ErrorBands {
 public:
  /// At least two origins; `spread` at each of them, > 0.
  ErrorBands(const ErrorTable& errors, std::span<const double> spread);

  /// The error that is not passed with probability p in (0, 1) at a step.
  double quantile(std::size_t step, double p) const;

  /// The errors of one origin, widened as the quantiles are: a path of what may go wrong, from step
  /// to step as closely related as the errors were.
  std::vector<double> path(std::size_t origin) const;

  /// How many independent errors those at a step are worth.
  double effective(std::size_t step) const;

  /// The share of past outcomes within the central 90 % band as it was drawn then, from the errors
  /// known by then: those whose outcome lies before `origin_at` of the row. `judged` counts them;
  /// rows with fewer than eight known errors are left out.
  double past_coverage(std::span<const std::size_t> origin_at, std::size_t* judged) const;

 private:
  double quantile_of(std::span<const double> sorted, double share, double p) const;
  double t95(double freedom) const;

  ErrorTable table_;            // in units of the spread
  std::vector<double> sorted_;  // column by column
  std::vector<double> share_;   // effective errors per error, by step
  std::vector<double> t95_;     // by degrees of freedom
};

}  // namespace plimsoll
