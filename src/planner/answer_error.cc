#include "planner/answer_error.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cluster/longer_steps.h"
#include "metrics/intervals.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr double kPrecision = 0.03;
// Of the rate as simulated: where limits are close to a lone request, and first tokens may take
// four times as long, little is left of it.
constexpr double kLeastPart = 32;
constexpr std::int64_t kRequests = 100'000;  // where the limits can be told with fewer

}  // namespace

std::array<double, 2> step_factors(const ModelError& error) {
  const double z = portable_exp(error.step);
  return {1 / z, z};
}

ProbedSystem with_longer_steps(ProbedSystem system, double factor) {
  system.deployment = with_longer_steps(std::move(system.deployment), factor);
  if (!system.model_error) return system;
  for (Slo& slo : system.slos) {
    const double beside =
        error_beside_steps(*system.model_error, slo.metric, slo.percentile.value_or(0));
    const double stricter = portable_exp(factor > 1 ? beside : -beside);
    slo.limit = duration_from_us(1e3 * to_ms(slo.limit) / stricter);
  }
  return system;
}

RateSearchOptions search_with_longer_steps(double good_rps, double lowest_rps, double factor,
                                           bool confirms) {
  RateSearchOptions search;
  search.guess = good_rps / factor;  // steps that are longer by a factor leave about as much less
  search.precision = kPrecision;
  search.lowest = std::max(lowest_rps, good_rps / kLeastPart);
  search.first_step = std::sqrt(1 + 0.9 * kPrecision);
  search.confirms = confirms && factor > 1;
  return search;
}

ProbeEffort effort_with_longer_steps(ProbeEffort effort, double factor,
                                     const std::vector<Slo>& slos) {
  if (factor > 1) return effort;
  const std::int64_t enough =
      std::max({effort.first_requests, kRequests, 2 * fewest_requests(slos)});
  effort.most_requests = std::min(effort.most_requests, enough);
  return effort;
}

Interval rates_with_model_error(double rate_rps, double with_long_rps, double with_short_rps) {
  return {std::fmin(with_long_rps, rate_rps), std::fmax(with_short_rps, rate_rps)};
}

Interval whole_interval(double answer, const Interval& sampled,
                        const std::optional<Interval>& model) {
  if (!model) return sampled;
  return {answer - std::hypot(answer - sampled.low, answer - model->low),
          answer + std::hypot(sampled.high - answer, model->high - answer)};
}

}  // namespace plimsoll
