#include "forecast/outlook/past.h"

#include <algorithm>
#include <cmath>

#include "forecast/history/history.h"
#include "forecast/outlook/methods.h"

namespace plimsoll {
namespace {

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

// As the same phase of the season before and after what is left out.
void leave_out(std::pair<std::size_t, std::size_t> steps, std::size_t season,
               std::vector<double>* logs) {
  const auto [from, to] = steps;
  for (std::size_t t = from; t < to; ++t) {
    const std::size_t back = ((t - from) / season + 1) * season;
    const std::size_t on = ((to - 1 - t) / season + 1) * season;
    const bool before = t >= back;
    const bool after = t + on < logs->size();
    if (!before && !after) continue;
    const double early = (*logs)[before ? t - back : t + on];
    const double late = (*logs)[after ? t + on : t - back];
    (*logs)[t] = (early + late) / 2;
  }
}

std::vector<double> plus(std::vector<double> logs, double log_factor) {
  for (double& log : logs) log += log_factor;
  return logs;
}

}  // namespace

Past past_of(std::vector<double> logs, std::size_t horizon, double step_s,
             const KnownDemand& known) {
  const std::vector<std::size_t> seasons = season_candidates(step_s);
  double factor_now = 0;
  for (std::size_t t = 0; t < std::min(logs.size(), known.log_factor.size()); ++t) {
    factor_now = known.log_factor[t];
    logs[t] -= factor_now;
  }
  for (const auto& steps : known.left_out) {
    leave_out(steps, seasons.empty() ? 1 : seasons.front(), &logs);
  }
  Past past;
  past.logs = logs;
  if (step_s < kDayS) {
    past.season = find_season(logs, seasons);
    past.usual = plus(logs, factor_now);
    return past;
  }
  std::size_t left_out = 0;
  const std::vector<double> level =
      step_s == kDayS ? running_median(logs, kReach) : std::vector<double>();
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
  std::vector<std::size_t> shifts;
  for (const std::size_t at : known.shifts) {
    if (at > left_out) shifts.push_back(at - left_out);
  }
  const Events roughly = find_events(past.logs, whole_weeks, shifts);
  past.season = find_season(without_events(past.logs, roughly), seasons);
  past.events = find_events(past.logs, past.season, shifts);
  past.logs = without_events(past.logs, past.events);
  logs.erase(logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(left_out));
  past.usual = plus(without_events(logs, past.events), factor_now);
  for (Event& shift : past.events.shifts) shift.at += left_out;
  for (Event& odd : past.events.odd) odd.at += left_out;
  return past;
}

}  // namespace plimsoll
