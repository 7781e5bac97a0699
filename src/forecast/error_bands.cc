#include "forecast/error_bands.h"

#include <algorithm>
#include <cmath>

#include "stats/batch_means.h"
#include "stats/student_t.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestRanks = 19;  // p = 5 % is rank 1 of 19
constexpr std::size_t kFewestJudging = 8;

// The value at rank p (J + 1), counted from 1, between neighbours on a straight line.
double at_conformal_rank(std::span<const double> sorted, double p) {
  const auto count = static_cast<double>(sorted.size());
  const double rank = std::clamp(p * (count + 1), 1.0, count) - 1;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

double root_mean_square(std::span<const double> values) {
  double squares = 0;
  for (const double v : values) squares += v * v;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double any_t_quantile(double p, double freedom) {
  const int whole = std::max(1, static_cast<int>(freedom));
  return p < 0.5 ? -student_t_quantile(1 - p, whole) : student_t_quantile(p, whole);
}

// Averages over the steps from three quarters to five quarters of each.
std::vector<double> smoothed(const std::vector<double>& values) {
  std::vector<double> sums(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t reach = i / 4;
    const std::size_t first = i - reach, end = std::min(values.size(), i + reach + 1);
    out[i] = (sums[end] - sums[first]) / static_cast<double>(end - first);
  }
  return out;
}

}  // namespace

double local_spread(std::span<const double> y, std::size_t season) {
  constexpr std::size_t kRecent = 10;
  const std::size_t changes = y.size() - season;
  const std::size_t recent = std::min(changes, std::max(kRecent, season));
  double late = 0, all = 0;
  for (std::size_t t = season; t < y.size(); ++t) {
    const double change = std::fabs(y[t] - y[t - season]);
    all += change;
    if (t + recent >= y.size()) late += change;
  }
  if (!(all > 0)) return 1;
  return (all / static_cast<double>(changes) + late / static_cast<double>(recent)) / 2;
}

ErrorBands::ErrorBands(const ErrorTable& errors, std::span<const double> spread) : table_(errors) {
  const std::size_t origins = table_.origins();
  for (std::size_t i = 0; i < table_.errors.size(); ++i) {
    table_.errors[i] /= spread[i / table_.steps];
  }
  std::vector<double> correlation(table_.steps);
  std::vector<double> column(origins);
  sorted_.reserve(table_.errors.size());
  for (std::size_t step = 0; step < table_.steps; ++step) {
    for (std::size_t j = 0; j < origins; ++j) column[j] = table_.at(j, step);
    correlation[step] = std::clamp(neighbour_correlation(column), 0.0, 0.99);
    std::sort(column.begin(), column.end());
    sorted_.insert(sorted_.end(), column.begin(), column.end());
  }
  share_ = smoothed(correlation);
  for (double& r : share_) r = (1 - r) / (1 + r);
  t95_ = {0};
  for (int freedom = 1; freedom <= static_cast<int>(origins); ++freedom) {
    t95_.push_back(student_t_quantile(0.95, freedom));
  }
}

// With the uncertainty of the centre, as for a new observation.
double ErrorBands::t95(double freedom) const {
  const double known = std::max(1.0, freedom);
  return t95_[static_cast<std::size_t>(known)] * std::sqrt(1 + 1 / (known + 1));
}

double ErrorBands::effective(std::size_t step) const {
  return std::max(2.0, static_cast<double>(table_.origins()) * share_[step]);
}

double ErrorBands::quantile_of(std::span<const double> sorted, double share, double p) const {
  const auto count = static_cast<double>(sorted.size());
  const double freedom = std::max(2.0, count * share) - 1;
  if (sorted.size() < kFewestRanks) {
    const double t = p == 0.95   ? t95(freedom)
                     : p == 0.05 ? -t95(freedom)
                                 : any_t_quantile(p, freedom) * std::sqrt(1 + 1 / (freedom + 1));
    return t * root_mean_square(sorted);
  }
  const double median = at_conformal_rank(sorted, 0.5);
  const double wider = t95(freedom) / t95(count - 1);
  return median + wider * (at_conformal_rank(sorted, p) - median);
}

double ErrorBands::quantile(std::size_t step, double p) const {
  const std::size_t origins = table_.origins();
  return quantile_of(std::span(sorted_).subspan(step * origins, origins), share_[step], p);
}

std::vector<double> ErrorBands::path(std::size_t origin) const {
  const std::size_t origins = table_.origins();
  std::vector<double> path(table_.steps);
  for (std::size_t step = 0; step < table_.steps; ++step) {
    const auto sorted = std::span(sorted_).subspan(step * origins, origins);
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), table_.at(origin, step));
    const double p =
        static_cast<double>(rank - sorted.begin() + 1) / static_cast<double>(origins + 1);
    path[step] = quantile_of(sorted, share_[step], p);
  }
  return path;
}

double ErrorBands::past_coverage(std::span<const std::size_t> origin_at,
                                 std::size_t* judged) const {
  std::size_t within = 0;
  *judged = 0;
  std::vector<double> known;
  for (std::size_t step = 0; step < table_.steps; ++step) {
    known.clear();
    std::size_t next = 0;  // the first row whose outcome is not known yet
    for (std::size_t j = 0; j < table_.origins(); ++j) {
      for (; origin_at[next] + step < origin_at[j]; ++next) {
        const double error = table_.at(next, step);
        known.insert(std::upper_bound(known.begin(), known.end(), error), error);
      }
      if (known.size() < kFewestJudging) continue;
      const double error = table_.at(j, step);
      ++*judged;
      within += error >= quantile_of(known, share_[step], 0.05) &&
                error <= quantile_of(known, share_[step], 0.95);
    }
  }
  return *judged == 0 ? 0 : static_cast<double>(within) / static_cast<double>(*judged);
}

}  // namespace plimsoll
