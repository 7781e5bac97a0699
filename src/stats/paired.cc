#include "stats/paired.h"

#include <cassert>
#include <cmath>

#include "stats/average.h"
#include "stats/student_t.h"

namespace plimsoll {
namespace {

// Of the mean; at least two values.
double standard_error(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);
}

int freedom(std::span<const double> values) { return static_cast<int>(values.size()) - 1; }

}  // namespace

ReplicatedMean replicated_mean(std::span<const double> values, double level) {
  assert(!values.empty());
  // Equal values are their mean, without the rounding of a sum.
  if (std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end()) {
    const double v = values.front();
    if (values.size() < 2) return {v, std::nullopt};
    return {v, Interval{v, v}};
  }
  const double mean = mean_of(values);
  const double half =
      student_t_quantile(0.5 + level / 2, freedom(values)) * standard_error(values, mean);
  return {mean, Interval{mean - half, mean + half}};
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b,
                                   double level) {
  assert(a.size() == b.size());
  std::vector<double> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), std::minus{});
  const ReplicatedMean mean = replicated_mean(differences, level);
  PairedDifference d{
      .mean = mean.mean, .interval = mean.interval, .equal = std::ranges::equal(a, b)};
  if (!d.interval || d.equal) return d;
  const double error = standard_error(differences, d.mean);
  d.p_value = error > 0 ? 2 * (1 - student_t_cdf(std::fabs(d.mean) / error, freedom(a))) : 0;
  return d;
}

double level_of_each(double level, std::size_t intervals) {
  return 1 - (1 - level) / static_cast<double>(std::max<std::size_t>(intervals, 1));
}

}  // namespace plimsoll
