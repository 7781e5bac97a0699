#include "forecast/outlook/error_law.h"

#include <algorithm>
#include <cmath>

#include "random/distributions.h"
#include "stats/student_t.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestJudging = 8;  // rows
constexpr std::size_t kMostJudged = 12;    // rows
constexpr double kFewestStretches = 19;    // p = 5 % is rank 1 of 19
constexpr double kNormalCounts = 150;      // errors: what the normal shape is worth
constexpr int kMostFreedom = 200;

using Knots = std::array<double, 13>;

constexpr Knots kProbabilities{0.005, 0.01, 0.025, 0.05,  0.1,  0.25, 0.5,
                               0.75,  0.9,  0.95,  0.975, 0.99, 0.995};
constexpr std::size_t kMiddle = 6;

const Knots& normal_knots() {
  static const Knots knots = [] {
    Knots z{};
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = normal_quantile(kProbabilities[i]);
    z[kMiddle] = 0;
    return z;
  }();
  return knots;
}

// By how much Student's t lies further out than the normal, by degrees of freedom and knot.
double wider(double freedom, std::size_t knot) {
  static const std::vector<Knots> table = [] {
    std::vector<Knots> all(kMostFreedom + 1);
    for (int f = 1; f <= kMostFreedom; ++f) {
      auto& row = all[static_cast<std::size_t>(f)];
      row.fill(1);
      for (std::size_t i = 0; i < kMiddle; ++i) {
        row[i] = -student_t_quantile(1 - kProbabilities[i], f) / normal_knots()[i];
        row[12 - i] = row[i];
      }
    }
    return all;
  }();
  const double f = std::clamp(freedom, 1.0, static_cast<double>(kMostFreedom));
  const auto below = static_cast<std::size_t>(f);
  const std::size_t above = std::min<std::size_t>(below + 1, kMostFreedom);
  const double share = f - static_cast<double>(below);
  return (1 - share) * table[below][knot] + share * table[above][knot];
}

// At rank p (J + 1) of J, counted from 1, between neighbours on a straight line.
double quantile_of(std::span<const double> sorted, double p) {
  const auto count = static_cast<double>(sorted.size());
  const double rank = std::clamp(p * (count + 1), 1.0, count) - 1;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

double between(const Knots& errors, double normal) {
  const Knots& z = normal_knots();
  const auto above = std::clamp<std::ptrdiff_t>(
      std::lower_bound(z.begin(), z.end(), normal) - z.begin(), 1, std::ssize(z) - 1);
  const auto i = static_cast<std::size_t>(above);
  const double share = (normal - z[i - 1]) / (z[i] - z[i - 1]);
  return errors[i - 1] + share * (errors[i] - errors[i - 1]);
}

ErrorTable in_units(const ErrorTable& errors, std::span<const double> spread) {
  ErrorTable table = errors;
  for (std::size_t i = 0; i < table.errors.size(); ++i) table.errors[i] /= spread[i / table.steps];
  return table;
}

}  // namespace

double local_spread(std::span<const double> y, std::size_t season) {
  constexpr std::size_t kRecent = 42;
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

ErrorBands::ErrorBands(const ErrorTable& errors, std::span<const double> spread,
                       std::span<const std::size_t> origin_at, std::size_t until, std::size_t steps)
    : law_(in_units(errors, spread), origin_at, until, steps), shape_(normal_knots()) {
  find_freedom();
  std::vector<double> in_deviations;
  for (std::size_t step = 0; step < errors.steps; ++step) {
    if (step > 0 && law_.stretches(step) < kFewestStretches) break;
    for (std::size_t j = 0; j < errors.origins(); ++j) {
      if (origin_at[j] + step >= until || !(law_.deviation(step) > 0)) continue;
      in_deviations.push_back(errors.at(j, step) / spread[j] / law_.deviation(step));
    }
  }
  if (in_deviations.empty()) return;
  const double known = law_.stretches(0) / (law_.stretches(0) + kNormalCounts);
  std::ranges::sort(in_deviations);
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    const double ranked = quantile_of(in_deviations, kProbabilities[i]);
    shape_[i] = known * ranked + (1 - known) * shape_[i];
  }
}

// As many degrees as the law knows errors of a step, and up to one for the law itself.
void ErrorBands::find_freedom() {
  for (std::size_t step = 0; step < law_.steps(); ++step) {
    const double few = law_.stretches(step) * law_.stretches(step) / 2;
    const double known = std::max(ErrorLaw::kFewestKnown, std::min(law_.effective(step), few));
    freedom_.push_back(known + 1 - 1 / known);
  }
}

double ErrorBands::quantile(std::size_t step, double p) const {
  const double normal = p == 0.5 ? 0 : normal_quantile(p);
  Knots wide = shape_;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    wide[i] = shape_[kMiddle] + wider(freedom_[step], i) * (shape_[i] - shape_[kMiddle]);
  }
  return law_.deviation(step) * between(wide, normal);
}

std::vector<double> ErrorBands::path(RandomStream& stream) const {
  std::vector<double> path = law_.standard_path(stream);
  for (std::size_t h = 0; h < path.size(); ++h) {
    path[h] = law_.deviation(h) * between(shape_, path[h]);
  }
  return path;
}

std::optional<double> past_coverage(const ErrorTable& errors, std::span<const double> spread,
                                    std::span<const std::size_t> origin_at) {
  const std::size_t rows = errors.origins();
  if (rows <= kFewestJudging) return std::nullopt;
  double within = 0;
  double judged = 0;
  const std::size_t every = (rows - kFewestJudging) / kMostJudged + 1;
  for (std::size_t j = rows; j > kFewestJudging; j -= std::min(j, every)) {
    const std::size_t row = j - 1;
    const auto known = std::ranges::count_if(
        origin_at, [&](std::size_t at) { return at + errors.steps <= origin_at[row]; });
    if (static_cast<std::size_t>(known) < kFewestJudging) break;
    const ErrorBands bands(errors, spread, origin_at, origin_at[row], errors.steps);
    for (std::size_t step = 0; step < errors.steps; ++step) {
      const double error = errors.at(row, step) / spread[row];
      judged += 1;
      within += error >= bands.quantile(step, 0.05) && error <= bands.quantile(step, 0.95) ? 1 : 0;
    }
  }
  if (judged == 0) return std::nullopt;
  return within / judged;
}

}  // namespace plimsoll
