#include "perf/coefficients.h"

#include <cmath>
#include <string>

#include "base/text.h"

namespace plimsoll {
namespace {

Result<bool> check(const std::vector<double>& values, std::size_t min, const std::string& flag,
                   const char* model_name) {
  if (values.size() < min) {
    return fail(ErrorKind::usage, std::string("the ") + model_name +
                                      " latency model needs at least " + std::to_string(min) +
                                      " values in " + flag + ", got " +
                                      std::to_string(values.size()));
  }
  for (const double value : values) {
    if (std::isfinite(value) && value >= 0) continue;
    return fail(ErrorKind::usage,
                "values in " + flag + " must be finite and not negative, got " + shortest(value));
  }
  return true;
}

}  // namespace

Result<Coefficients> checked_coefficients(const Coefficients& coefficients, std::size_t min_alpha,
                                          std::size_t min_beta, const char* model_name) {
  TRY_TO(check(coefficients.alpha, min_alpha, "--alpha-coeffs", model_name));
  TRY_TO(check(coefficients.beta, min_beta, "--beta-coeffs", model_name));
  return coefficients;
}

}  // namespace plimsoll
