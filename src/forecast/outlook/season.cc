#include "forecast/outlook/season.h"

#include <cmath>

namespace plimsoll {
namespace {

constexpr double kWorthwhile = 0.1;
constexpr std::size_t kFewestSeasons = 3;

// y less its mean over the season around each step, a level that follows any trend; half a season
// at either end has none. For an even season the two outermost values count half.
std::vector<double> off_moving_mean(std::span<const double> y, std::size_t season) {
  const std::size_t half = season / 2;
  std::vector<double> sums(y.size() + 1);
  for (std::size_t t = 0; t < y.size(); ++t) sums[t + 1] = sums[t] + y[t];
  std::vector<double> off;
  for (std::size_t t = half; t + half < y.size(); ++t) {
    double sum = sums[t + half + 1] - sums[t - half];
    if (season % 2 == 0) sum -= (y[t - half] + y[t + half]) / 2;
    off.push_back(y[t] - sum / static_cast<double>(season));
  }
  return off;
}

// y less the mean of each phase of a season.
std::vector<double> without_season(std::span<const double> y, std::size_t season) {
  std::vector<double> sum(season), count(season);
  for (std::size_t t = 0; t < y.size(); ++t) {
    sum[t % season] += y[t];
    count[t % season] += 1;
  }
  std::vector<double> rest(y.begin(), y.end());
  for (std::size_t t = 0; t < y.size(); ++t) rest[t] -= sum[t % season] / count[t % season];
  return rest;
}

}  // namespace

std::vector<std::size_t> season_candidates(double step_s) {
  constexpr double kLongest = 1e6;  // steps
  std::vector<std::size_t> candidates;
  for (const double length_s : {86'400.0, 604'800.0}) {
    const double steps = std::round(length_s / step_s);
    if (steps >= 2 && steps <= kLongest && std::fabs(steps * step_s - length_s) < 1e-6 * length_s) {
      candidates.push_back(static_cast<std::size_t>(steps));
    }
  }
  return candidates;
}

double season_strength(std::span<const double> y, std::size_t season) {
  if (y.size() / season < kFewestSeasons) return 0;
  const std::vector<double> off = off_moving_mean(y, season);
  std::vector<double> sum(season), count(season);
  for (std::size_t t = 0; t < off.size(); ++t) {
    sum[t % season] += off[t];
    count[t % season] += 1;
  }
  double all = 0, missed = 0, size = 0;
  for (std::size_t t = 0; t < off.size(); ++t) {
    const double others = (sum[t % season] - off[t]) / (count[t % season] - 1);
    all += off[t] * off[t];
    missed += (off[t] - others) * (off[t] - others);
  }
  for (const double v : y) size += v * v;
  constexpr double kRounding = 1e-20;
  return all > kRounding * size ? 1 - missed / all : 0;
}

std::size_t find_season(std::span<const double> y, std::span<const std::size_t> candidates) {
  std::size_t found = 1;
  std::vector<double> rest(y.begin(), y.end());
  for (const std::size_t season : candidates) {
    if (season_strength(rest, season) <= kWorthwhile) continue;
    found = season;
    rest = without_season(y, season);
  }
  return found;
}

}  // namespace plimsoll
