// How errors grow with the distance looked ahead, and how they hang together along the way: one
// smooth law for all distances, from the few errors that a history has of each. Far ahead there
// are few that do not overlap, so no distance is judged alone.
//
// An error is a sum of independent parts of known shape and unknown size: an offset that stays,
// noise of each step, deviations that are forgotten, a random walk, a slope that was missed. The
// sizes, none below zero, are those under which the mean squares of the errors and of their changes
// along a path are most likely: each mean square counts as a gamma variable with as many degrees of
// freedom as there are stretches of that length that do not overlap. Found by the multiplicative
// steps that never make it less likely (Fevotte, Bertin and Durrieu 2009, for the same divergence).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "random/stream.h"

namespace plimsoll {

/// The errors, what came less what was expected: one row per origin (a moment from which a method
/// looked ahead), one column per step ahead.
struct ErrorTable {
  std::size_t steps = 0;
  std::vector<double> errors;  ///< row by row

  std::size_t origins() const { return steps == 0 ? 0 : errors.size() / steps; }
  double at(std::size_t origin, std::size_t step) const { return errors[origin * steps + step]; }
  /// The mean absolute error of an origin, and of all.
  double size(std::size_t origin) const;
  double mean_size() const;
  /// The errors of one more origin; `came` may be longer.
  void add(std::span<const double> came, std::span<const double> expected);
};

/// Steps are counted from 0, the first step ahead.
class ErrorLaw {
 public:
  /// Degrees of freedom at least: Student's t with fewer has hardly a largest value.
  static constexpr double kFewestKnown = 4;

  /// From the outcomes before the moment `until`; `origin_at` of each row is the moment of its
  /// first outcome. For `steps` ahead, which may be more than the table has.
  ErrorLaw(const ErrorTable& errors, std::span<const std::size_t> origin_at, std::size_t until,
           std::size_t steps);

  std::size_t steps() const { return deviation_.size(); }
  /// The root of the mean square of the errors there.
  double deviation(std::size_t step) const { return deviation_[step]; }
  /// How many stretches of that length do not overlap.
  double stretches(std::size_t step) const;
  /// How many independent errors the law knows that step by.
  double effective(std::size_t step) const;
  /// A path of errors, each in units of its standard deviation: sums of Student's t, one for each
  /// part, with as many degrees of freedom as its size is known by.
  std::vector<double> standard_path(RandomStream& stream) const;

  /// Some steps from the first to the last, each about a quarter further than the one before.
  static std::vector<std::size_t> spread_steps(std::size_t steps);

 private:
  struct Part;
  struct Moment;
  class MomentsOf;
  static constexpr std::size_t kParts = 6;
  static const std::array<Part, kParts>& parts();

  void fit(std::vector<Moment> moments, std::size_t steps);
  void find_deviations(std::size_t steps);
  double independent(const Part& part) const;

  std::array<double, kParts> size_{};  // of each part, a mean square
  std::vector<double> deviation_;      // by step
  double span_ = 0;                    // steps from the first origin to the last outcome
  double origins_ = 0;                 // rows
};

// From the errors that a method made in the past to how far off it may be now, at each step ahead
// and along whole paths.
//
// How far is the smooth law of forecast/outlook/error_law.h. Of which shape: the ranks of all past
// errors in units of what the law says of their step, each counted as much as there are independent
// ones of its distance, and drawn towards the normal shape where there are few. How sure that is:
// Student's t, with as many degrees of freedom as there are stretches of that length.
//
// Demand that is quiet at night and restless by day makes errors of different sizes, so each is
// taken in units of how much the series moved before its origin (as in locally weighted conformal
// prediction: Lei et al. 2018, 5.2).

/// How much a series moves: the mean absolute change over one season (one step without a season),
/// half of it as in the whole history, half as in the last season or ten steps, whichever is
/// longer. 1 where nothing ever changes. More than `season` values.
double local_spread(std::span<const double> y, std::size_t season);

/// All errors that it gives are in units of the spread.
class ErrorBands {
 public:
  /// From the outcomes before `until`, for `steps` ahead. At least two origins, and of each the
  /// `spread` > 0 and the moment of its first outcome.
  ErrorBands(const ErrorTable& errors, std::span<const double> spread,
             std::span<const std::size_t> origin_at, std::size_t until, std::size_t steps);

  /// The error that is not passed with probability p in [0.005, 0.995] at a step.
  double quantile(std::size_t step, double p) const;

  /// The errors that may occur from step to step, one path per stream; at each step the paths are
  /// distributed as quantile() says.
  std::vector<double> path(RandomStream& stream) const;

 private:
  using Knots = std::array<double, 13>;

  void find_freedom();

  ErrorLaw law_;
  Knots shape_;                  // errors in standard deviations, at fixed probabilities
  std::vector<double> freedom_;  // degrees, by step
};

/// The share of past outcomes within the central 90 % band as it would have been drawn at some
/// origins from the errors known by then; none with too few to judge.
std::optional<double> past_coverage(const ErrorTable& errors, std::span<const double> spread,
                                    std::span<const std::size_t> origin_at);

}  // namespace plimsoll
