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
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "forecast/outlook/error_law.h"

namespace plimsoll {

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
