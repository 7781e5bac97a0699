// How well would each method have done, and what is its weight in the combination of all? Every
// method looks ahead from many moments of the past (rolling origin: Hyndman and Athanasopoulos,
// Forecasting: Principles and Practice, 5.10), seeing only what was known then. The choice of the
// method and all bands rest on these errors, not on how well a method fits what it has seen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "forecast/outlook/error_law.h"
#include "forecast/outlook/methods.h"

namespace plimsoll {

struct BackTestOptions {
  std::size_t horizon = 1;         ///< steps that are tested
  std::size_t season = 1;          ///< steps; 1 = none
  std::size_t most_origins = 100;  ///< evenly spread over what there are
};

/// Mean absolute scaled error (Hyndman and Koehler 2006): the mean absolute error in units of the
/// mean absolute change of the series over one season (one step without a season).
struct MethodScore {
  ForecastMethod method = ForecastMethod::naive;
  double mase = 0;  ///< of the combination: with the weights of today
  ErrorTable errors;
};

struct BackTest {
  std::vector<std::size_t> origins;  ///< how many values were known
  std::vector<MethodScore> scores;   ///< those that apply, in the order of forecast_methods()
  double scale = 1;                  ///< of the scaled errors; 1 of a constant series
  std::vector<double> spread;        ///< by origin: local_spread() of what was known
  ForecastMethod chosen = ForecastMethod::naive;
  /// The better of the naive methods does about as well as the combination and is chosen.
  bool simple_is_as_good = false;
  /// The weights of the combination from now on: one per method before it in `scores`, of sum 1.
  std::vector<double> weights;

  const MethodScore* score(ForecastMethod method) const;
};

/// The number of values an origin needs before it, and so the least history for one origin is this
/// and the horizon: two seasons, and a third of what is left without the horizon.
std::size_t first_origin(std::size_t values, const BackTestOptions& options);

/// At least first_origin() + horizon values, finite.
BackTest back_test(std::span<const double> y, const BackTestOptions& options);

/// Returns what a method that applies expects of `horizon` steps after all of `y`; `weights` of the
/// combination as above. Growth fades beyond `trusted` steps.
std::vector<double> forecast_by(ForecastMethod method, std::span<const double> y,
                                const BackTestOptions& options, std::span<const double> weights,
                                std::size_t horizon, std::size_t trusted);

}  // namespace plimsoll
