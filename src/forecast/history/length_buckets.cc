#include "forecast/history/length_buckets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
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

struct Moments {
  double count = 0;
  double sum = 0;
  double squares = 0;

  std::optional<double> square_of_cv() const {
    if (count < kFewestCounted || sum <= 0) return std::nullopt;
    return std::max(0.0, squares * count / (sum * sum) - 1);
  }
};

// Of one instance, whose buckets hold all that is no longer than their bounds.
void add_buckets(const std::map<double, double>& up_to, Moments* moments) {
  double least = 0;
  double before = 0;
  for (const auto& [most, requests] : up_to) {
    const double in_bucket = std::max(0.0, requests - before);
    const bool is_open = std::isinf(most);
    const double width = is_open ? 0 : most - least;
    const double middle = is_open ? least : least > 0 ? std::sqrt(least * most) : most / 2;
    moments->count += in_bucket;
    moments->sum += in_bucket * middle;
    moments->squares += in_bucket * (middle * middle - width * width / 12);
    before = std::max(before, requests);
    if (!is_open) least = most;
  }
}

// Within routes: how far these lie apart is no matter of how much the lengths of one vary.
std::optional<double> cv_by_buckets(const std::vector<CounterSeries>& all,
                                    std::string_view column) {
  std::map<std::string, std::map<std::string, std::map<double, double>>> by_route;
  for (const CounterSeries& series : all) {
    if (series.column == column)
      by_route[series.route][series.instance][series.upper_bound] += gain_of(series);
  }
  double count = 0;
  double squares = 0;
  for (const auto& [route, instances] : by_route) {
    Moments moments;
    for (const auto& [instance, up_to] : instances) add_buckets(up_to, &moments);
    const auto square = moments.square_of_cv();
    if (!square) continue;
    count += moments.count;
    squares += moments.count * *square;
  }
  if (count <= 0) return std::nullopt;
  return std::min(kWidestCv, std::sqrt(squares / count));
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
