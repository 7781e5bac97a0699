#include "planner/model_range.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "perf/calibrated_step_time.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr double kPrecision = 0.03;
constexpr std::int64_t kRequests = 100'000;

}  // namespace

std::array<double, 2> step_factors(const ModelError& error) {
  const double z = portable_exp(error.step);
  return {1 / z, z};
}

ProbedSystem with_longer_steps(ProbedSystem system, double factor) {
  Correction longer;
  longer.scale = factor;
  system.deployment.step_time =
      std::make_shared<CalibratedStepTime>(system.deployment.step_time, longer);
  return system;
}

RateSearchOptions search_with_longer_steps(double good_rps, double lowest_rps, double factor) {
  RateSearchOptions search;
  search.guess = good_rps / factor;  // steps that are longer by a factor leave about as much less
  search.precision = kPrecision;
  search.lowest = lowest_rps;
  search.first_step = std::sqrt(1 + 0.9 * kPrecision);
  return search;
}

ProbeEffort look_effort(ProbeEffort effort) {
  effort.most_requests = std::min(effort.most_requests, std::max(effort.first_requests, kRequests));
  return effort;
}

Interval whole_interval(double answer, const Interval& sampled,
                        const std::optional<Interval>& model) {
  if (!model) return sampled;
  return {answer - std::hypot(answer - sampled.low, answer - model->low),
          answer + std::hypot(sampled.high - answer, model->high - answer)};
}

}  // namespace plimsoll
