#include "forecast/outlook/season.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "forecast/history/history.h"
#include "forecast/outlook/odd_stretches.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kWorthwhile = 0.1;
// Over the seasons and the root of their length: what one pattern of noise in a hundred explains.
constexpr double kChance = 4;

constexpr std::size_t kMostDrawnTogether = 168;  // phases: a week of hours

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

// Phases of a season that cannot be told apart share one level, so that the highest of them is not
// the one that luck chose: neighbours in size are drawn together, the nearest first, as long as
// they differ by less than that many standard errors of their difference.
void draw_together(std::span<double> phases, double error) {
  constexpr double kAlike = 2.5;
  struct Group {
    double mean = 0;
    std::vector<std::size_t> phases;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < phases.size(); ++i) groups.push_back({phases[i], {i}});
  std::ranges::sort(groups, {}, &Group::mean);
  while (groups.size() > 1) {
    std::size_t nearest = 0;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
      const double apart = std::sqrt(1 / static_cast<double>(groups[i].phases.size()) +
                                     1 / static_cast<double>(groups[i + 1].phases.size()));
      const double errors = (groups[i + 1].mean - groups[i].mean) / (error * apart);
      if (errors < least) least = errors, nearest = i;
    }
    if (!(least < kAlike)) break;
    Group& low = groups[nearest];
    const Group& high = groups[nearest + 1];
    const auto a = static_cast<double>(low.phases.size());
    const auto b = static_cast<double>(high.phases.size());
    low.mean = (a * low.mean + b * high.mean) / (a + b);
    low.phases.insert(low.phases.end(), high.phases.begin(), high.phases.end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
  }
  for (const Group& group : groups)
    for (const std::size_t phase : group.phases) phases[phase] = group.mean;
}

/// Two days in a row of each week against all others.
struct Weekend {
  std::size_t first = 0;     ///< day from the first one, below 7
  double off = 0;            ///< mean of these days less that of the others
  double errors = 0;         ///< its size, in standard errors
  bool is_alone = false;     ///< seen once, between days of other kinds
  double deviation = 0;      ///< of days from the mean of their kind
  std::size_t furthest = 0;  ///< the day that lies furthest from it
  double furthest_off = 0;

  bool has(std::size_t day) const { return (day + kDaysOfWeek - first) % kDaysOfWeek < 2; }
};

Weekend fit_weekend(std::size_t first, std::span<const double> days,
                    std::optional<std::size_t> left_out = {}) {
  Weekend weekend{.first = first};
  double sum[2]{}, squares = 0, count[2]{};
  for (std::size_t day = 0; day < days.size(); ++day) {
    if (day == left_out) continue;
    sum[weekend.has(day)] += days[day];
    count[weekend.has(day)] += 1;
  }
  if (count[1] < 2) return weekend;
  const double mean[2]{sum[0] / count[0], sum[1] / count[1]};
  for (std::size_t day = 0; day < days.size(); ++day) {
    if (day == left_out) continue;
    const double off = days[day] - mean[weekend.has(day)];
    squares += off * off;
    if (std::fabs(off) <= weekend.furthest_off) continue;
    weekend.furthest_off = std::fabs(off);
    weekend.furthest = day;
  }
  constexpr double kLeast = 1e-6;  // deviation of days: rounding
  weekend.deviation = std::fmax(kLeast, std::sqrt(squares / (count[0] + count[1] - 2)));
  weekend.off = mean[1] - mean[0];
  weekend.errors =
      std::fabs(weekend.off) / (weekend.deviation * std::sqrt(1 / count[0] + 1 / count[1]));
  weekend.is_alone = count[1] < 3;
  return weekend;
}

// One odd day does not hide a week.
Weekend weekend_at(std::size_t first, std::span<const double> days) {
  const Weekend all = fit_weekend(first, days);
  const Weekend others = fit_weekend(first, days, all.furthest);
  return all.furthest_off > std::max(kLeastOdd, kFar * others.deviation) ? others : all;
}

// How much of the variation within the seasons the other seasons foretell (1 = all of it; below
// 0 = they mislead): each value, as its deviation from the mean of the season around it, is
// predicted by the mean of the others of its phase. 0 for fewer than three seasons, or a series
// that does not vary.
double season_strength(std::span<const double> y, std::size_t season) {
  if (y.size() / season < kFewestSeasons) return 0;
  std::vector<double> off = off_moving_mean(y, season);
  // A bend lies off it on one side, at every phase: that is no pattern.
  const double usual = mean_of(off);
  for (double& value : off) value -= usual;
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

}  // namespace

double middle_of(std::span<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> middles_of(std::span<const double> y, std::size_t season) {
  constexpr double kOfMedian = 1.2533;  // times the error of a mean
  constexpr double kNormal = 1.4826;    // standard deviation over median absolute deviation
  std::vector<double> middles(season);
  std::vector<double> alike;
  std::vector<double> off;
  for (std::size_t phase = 0; phase < season; ++phase) {
    alike.clear();
    for (std::size_t t = phase; t < y.size(); t += season) alike.push_back(y[t]);
    middles[phase] = middle_of(alike);
    for (const double value : alike) off.push_back(std::fabs(value - middles[phase]));
  }
  const double each = static_cast<double>(y.size()) / static_cast<double>(season);
  if (season == 1 || season > kMostDrawnTogether || each <= 2) return middles;
  // Each middle was chosen to lie near its own values.
  const double deviation = kNormal * middle_of(off) / std::sqrt(1 - 1 / each);
  if (deviation > 0) draw_together(middles, kOfMedian * deviation / std::sqrt(each));
  return middles;
}

std::vector<double> pattern_of_season(std::span<const double> y, std::size_t season) {
  std::vector<double> pattern(season);
  if (season == 1) return pattern;
  const std::vector<double> middles = middles_of(off_moving_mean(y, season), season);
  for (std::size_t phase = 0; phase < season; ++phase)
    pattern[(phase + season / 2) % season] = middles[phase];
  return pattern;
}

std::size_t steps_of_day(double step_s) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(kDayS / step_s)));
}

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

std::vector<double> means_of_days(std::span<const double> y, std::size_t steps_per_day) {
  const std::vector<double> rest = without_season(y, steps_per_day);
  std::vector<double> means;
  for (std::size_t t = 0; t + (steps_per_day + 1) / 2 <= rest.size(); t += steps_per_day)
    means.push_back(mean_of(std::span(rest).subspan(t, std::min(steps_per_day, rest.size() - t))));
  return means;
}

std::size_t first_saturday(double start_s, double zone_s) {
  using namespace std::chrono;
  const double day = std::floor((start_s + zone_s) / kDayS + 0.5);
  const weekday first(sys_days(days(static_cast<int>(day))));
  return static_cast<std::size_t>((Saturday - first).count());
}

std::vector<double> short_week(std::span<const double> logs, double step_s,
                               std::optional<std::size_t> saturday) {
  constexpr std::size_t kFewestDays = kDaysOfWeek - 1;
  constexpr double kClear = 6;       // standard errors: the most of seven
  constexpr double kNoticed = 0.05;  // of a logarithm
  const std::vector<std::size_t> seasons = season_candidates(step_s);
  const bool is_daily = !seasons.empty() && seasons.front() == kDaysOfWeek;
  if (!is_daily && seasons.size() < 2) return {};
  const std::vector<double> days = means_of_days(logs, is_daily ? 1 : seasons.front());
  const std::size_t steps_per_day = is_daily ? 1 : seasons.front();
  const bool has_season = logs.size() >= kFewestSeasons * kDaysOfWeek * steps_per_day;
  if (days.size() < kFewestDays || has_season) return {};
  Weekend best;
  for (std::size_t first = 0; first < kDaysOfWeek; ++first) {
    const Weekend weekend = weekend_at(first, days);
    const bool is_quiet = weekend.off < 0;
    const bool is_weekend =
        first == saturday || (is_quiet && saturday && (first + 1) % kDaysOfWeek == *saturday);
    const bool is_at_end = weekend.has(0) || weekend.has(days.size() - 1);
    const bool is_event = weekend.is_alone && !is_weekend && (saturday || !is_quiet || is_at_end);
    if (!is_event && weekend.errors > best.errors) best = weekend;
  }
  if (best.errors < kClear || std::fabs(best.off) < kNoticed) return {};
  std::vector<double> week(kDaysOfWeek);
  for (std::size_t day = 0; day < kDaysOfWeek; ++day) {
    if (best.has(day)) week[day] = best.off;
  }
  return week;
}

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

std::size_t find_season(std::span<const double> y, std::span<const std::size_t> candidates) {
  std::size_t found = 1;
  std::vector<double> rest(y.begin(), y.end());
  for (const std::size_t season : candidates) {
    const auto length = static_cast<double>(season);
    const auto seasons = static_cast<double>(y.size() / season);
    const double by_chance = kChance / (seasons * std::sqrt(length));
    if (season_strength(rest, season) <= std::max(kWorthwhile, by_chance)) continue;
    found = season;
    rest = without_season(y, season);
  }
  return found;
}

}  // namespace plimsoll
