#include "forecast/outlook/past.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/methods.h"

namespace plimsoll {
namespace {

constexpr double kDay = 86'400;
constexpr std::size_t kYear = 364;  // days: 52 weeks, so that a Monday is compared with a Monday
constexpr std::size_t kLeastYearly = 475;
constexpr std::size_t kReach = 10;  // days on either side
constexpr std::size_t kMonth = 28;  // days
constexpr double kClearly = 0.7;

// The mean absolute change over four weeks, but for a steady one.
double restlessness(std::span<const double> level) {
  std::vector<double> changes;
  for (std::size_t t = kMonth; t < level.size(); ++t)
    changes.push_back(level[t] - level[t - kMonth]);
  std::vector<double> sorted = changes;
  const double steady = middle_of(sorted);
  double sum = 0;
  for (const double change : changes) sum += std::fabs(change - steady);
  return sum / static_cast<double>(changes.size());
}

// By day from the second year on, what the same day was in the year before; the mean of two years
// before, where there are two, of which the earlier one is lifted by what a year usually adds.
std::vector<double> years_before(std::span<const double> level, std::size_t horizon) {
  std::vector<double> a_year;
  for (std::size_t t = kYear; t < level.size(); ++t) a_year.push_back(level[t] - level[t - kYear]);
  const double usual = middle_of(a_year);
  std::vector<double> before;
  for (std::size_t t = kYear; t < level.size() + horizon; ++t) {
    std::size_t same = t - kYear;
    while (same >= level.size()) same -= kYear;
    const bool two = same >= kYear;
    before.push_back(two ? (level[same] + level[same - kYear] + usual) / 2 : level[same]);
  }
  return before;
}

bool has_yearly_season(std::span<const double> level) {
  if (level.size() < kLeastYearly) return false;
  const auto later = level.subspan(kYear);
  const std::vector<double> before = years_before(level, 0);
  std::vector<double> relative;
  for (std::size_t i = 0; i < later.size(); ++i) relative.push_back(later[i] - before[i]);
  return restlessness(relative) < kClearly * restlessness(later);
}

}  // namespace

Past past_of(std::span<const double> logs, std::size_t horizon, double step_s) {
  Past past;
  past.logs.assign(logs.begin(), logs.end());
  const std::vector<std::size_t> seasons = season_candidates(step_s);
  if (step_s < kDay) {
    past.season = find_season(logs, seasons);
    return past;
  }
  std::size_t left_out = 0;
  const std::vector<double> level =
      step_s == kDay ? running_median(logs, kReach) : std::vector<double>();
  if (has_yearly_season(level)) {
    left_out = kYear;
    past.yearly = years_before(level, horizon);
    past.logs.erase(past.logs.begin(), past.logs.begin() + kYear);
    for (std::size_t t = 0; t < past.logs.size(); ++t) past.logs[t] -= past.yearly[t];
    past.yearly.erase(past.yearly.begin(),
                      past.yearly.end() - static_cast<std::ptrdiff_t>(horizon));
  }
  // A season is hard to see through events, and events through a season.
  const std::size_t rough = seasons.empty() ? 1 : seasons.front();
  const auto whole_weeks = past.logs.size() >= 3 * rough ? rough : 1;
  past.season =
      find_season(without_events(past.logs, find_events(past.logs, whole_weeks)), seasons);
  past.events = find_events(past.logs, past.season);
  past.logs = without_events(past.logs, past.events);
  for (Event& shift : past.events.shifts) shift.at += left_out;
  for (Event& odd : past.events.odd) odd.at += left_out;
  return past;
}

}  // namespace plimsoll
