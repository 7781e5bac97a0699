#include "forecast/history/length_buckets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

namespace plimsoll {
namespace {

constexpr double kFewestCounted = 100;
constexpr double kWidestCv = 10;  // that routes may have

// What came after a restart is all that the counter has.
double gain_of(const CounterSeries& series) {
  double sum = 0;
  for (std::size_t i = 1; i < series.samples.size(); ++i) {
    const double before = series.samples[i - 1].value;
    const double now = series.samples[i].value;
    sum += now < before ? now : now - before;
  }
  return sum;
}

std::optional<double> cv_by_buckets(const std::vector<CounterSeries>& all,
                                    std::string_view column) {
  std::map<double, double> up_to;  // requests by upper bound, cumulative
  for (const CounterSeries& series : all) {
    if (series.column == column) up_to[series.upper_bound] += gain_of(series);
  }
  double least = 0;
  double before = 0;
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (const auto& [most, requests] : up_to) {
    const double in_bucket = std::max(0.0, requests - before);
    const bool is_open = std::isinf(most);
    const double width = is_open ? 0 : most - least;
    const double middle = is_open ? least : least > 0 ? std::sqrt(least * most) : most / 2;
    count += in_bucket;
    sum += in_bucket * middle;
    squares += in_bucket * (middle * middle - width * width / 12);
    before = std::max(before, requests);
    if (!is_open) least = most;
  }
  if (count < kFewestCounted || sum <= 0) return std::nullopt;
  const double square_of_cv = squares * count / (sum * sum) - 1;
  return std::min(kWidestCv, std::sqrt(std::max(0.0, square_of_cv)));
}

}  // namespace

TrafficShape take_length_buckets(std::vector<CounterSeries>* series) {
  TrafficShape shape;
  shape.prompt_cv = cv_by_buckets(*series, kPromptBuckets.column);
  shape.output_cv = cv_by_buckets(*series, kOutputBuckets.column);
  std::erase_if(*series, [](const CounterSeries& s) {
    return s.column == kPromptBuckets.column || s.column == kOutputBuckets.column;
  });
  return shape;
}

}  // namespace plimsoll
