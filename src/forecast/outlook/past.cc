#include "forecast/outlook/past.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "base/lists.h"
#include "forecast/history/history.h"
#include "forecast/outlook/events.h"
#include "forecast/outlook/season.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLeastYearly = 475;
constexpr std::size_t kFortnight = 14;  // days
constexpr std::size_t kMonth = 28;      // days
constexpr double kClearly = 0.7;
constexpr double kNoticedOnce = 0.2;  // of the logarithm: a fifth
constexpr std::size_t kFewestOnce = 7;
constexpr double kQuieter = 0.6;  // a side that an edge is not on

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

/// The same dates of other years, by the days of a series.
class Dates {
 public:
  explicit Dates(double start_s) : first_(std::floor(start_s / kDayS + 1e-6)) {}

  // The day a year before; below 0 before the series.
  std::ptrdiff_t year_before(std::size_t t) const {
    using namespace std::chrono;
    const sys_days day(days(static_cast<int>(first_) + static_cast<int>(t)));
    const year_month_day date(day);
    const year_month_day before = date - years(1);
    const sys_days same = before.ok() ? sys_days(before) : sys_days(before.year() / February / 28);
    return static_cast<std::ptrdiff_t>(t) - (day - same).count();
  }

  std::size_t second_year() const {
    std::size_t t = 365;
    while (year_before(t) < 0) ++t;
    return t;
  }

 private:
  double first_;
};

struct Usual {
  double middle = 0;
  double off = 0;  ///< mean absolute deviation from it
};

Usual usual_in(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  Usual usual{middle_of(sorted), 0};
  for (const double value : values)
    usual.off += std::fabs(value - usual.middle) / static_cast<double>(values.size());
  return usual;
}

// What is usual around each day. Where days of one side are far more alike, an edge lies on the
// other one.
std::vector<double> level_with_edges(std::span<const double> rest) {
  std::vector<double> level;
  for (std::size_t t = 0; t < rest.size(); ++t) {
    const auto within = [&](std::size_t before, std::size_t after) {
      const std::size_t from = t - std::min(t, before);
      return rest.subspan(from, std::min(rest.size(), t + after + 1) - from);
    };
    Usual best = usual_in(within(kFortnight / 2, kFortnight / 2));
    const double around = kQuieter * best.off;
    for (const auto side : {within(kFortnight, 0), within(0, kFortnight)}) {
      if (side.size() <= kFortnight / 2) continue;
      const Usual usual = usual_in(side);
      if (usual.off < around && usual.off < best.off) best = usual;
    }
    level.push_back(best.middle);
  }
  return level;
}

// By day from the second year on, what the same date was in the year before; the mean of two years
// before, where there are two, of which the earlier one is lifted by what a year usually adds.
std::vector<double> years_before(std::span<const double> level, std::size_t horizon,
                                 const Dates& dates) {
  std::vector<double> a_year;
  const std::size_t first = dates.second_year();
  const auto before_of = [&](std::size_t t) {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, dates.year_before(t)));
  };
  for (std::size_t t = first; t < level.size(); ++t)
    a_year.push_back(level[t] - level[before_of(t)]);
  const double usual = middle_of(a_year);
  std::vector<double> before;
  for (std::size_t t = first; t < level.size() + horizon; ++t) {
    std::size_t same = before_of(t);
    while (same >= level.size()) same = before_of(same);
    const bool two = dates.year_before(same) >= 0;
    before.push_back(two ? (level[same] + level[before_of(same)] + usual) / 2 : level[same]);
  }
  return before;
}

bool has_yearly_season(std::span<const double> level, const Dates& dates) {
  if (level.size() < kLeastYearly) return false;
  const auto later = level.subspan(dates.second_year());
  const std::vector<double> before = years_before(level, 0, dates);
  std::vector<double> relative;
  for (std::size_t i = 0; i < later.size(); ++i) relative.push_back(later[i] - before[i]);
  return restlessness(relative) < kClearly * restlessness(later);
}

// Of a history of one year and a bit, by step ahead.
std::vector<double> seen_once(std::span<const double> level, std::size_t horizon,
                              const Dates& dates) {
  const std::ptrdiff_t today = dates.year_before(level.size());
  if (today < static_cast<std::ptrdiff_t>(kFortnight)) return {};
  const auto before = level.subspan(static_cast<std::size_t>(today) - kFortnight, kFortnight);
  const double usual = usual_in(before).middle;
  std::vector<double> off(horizon);
  std::size_t days = 0;
  for (std::size_t h = 0; h < horizon; ++h) {
    const auto same = static_cast<std::size_t>(dates.year_before(level.size() + h));
    if (same >= level.size() || std::fabs(level[same] - usual) < kNoticedOnce) continue;
    off[h] = level[same] - usual;
    ++days;
  }
  return days < kFewestOnce ? std::vector<double>{} : off;
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

// What is taken for a bend if that is likely and for none if it is not, the other way round; null
// where nothing is doubtful.
Bend* doubtful_of(Events* events) {
  return find_where(events->bends, [](const Bend& bend) { return bend.chance < 1; });
}

std::vector<double> plus(std::vector<double> logs, double log_factor) {
  for (double& log : logs) log += log_factor;
  return logs;
}

}  // namespace

std::optional<DaysOff> KnownDemand::add_short_week(const std::vector<double>& logs,
                                                   std::size_t horizon, double step_s,
                                                   std::optional<std::size_t> saturday) {
  std::vector<double> rest = logs;
  for (std::size_t t = 0; t < std::min(rest.size(), log_factor.size()); ++t)
    rest[t] -= log_factor[t];
  const std::vector<double> week = short_week(rest, step_s, saturday);
  if (week.empty()) return std::nullopt;
  log_factor.resize(logs.size() + horizon);
  for (std::size_t t = 0; t < log_factor.size(); ++t) {
    const double day = std::floor(static_cast<double>(t) * step_s / kDayS + 1e-9);
    log_factor[t] += week[static_cast<std::size_t>(day) % week.size()];
  }
  // The first of two that are neighbours, be it around the end of the seven.
  DaysOff off;
  for (std::size_t day = 0; day < week.size(); ++day) {
    if (week[day] != 0 && week[(day + 1) % week.size()] != 0) off = {day, week[day]};
  }
  return off;
}

std::vector<double> KnownDemand::ahead_of_now(std::size_t horizon) const {
  std::vector<double> ahead(horizon);
  if (log_factor.empty()) return ahead;
  const std::size_t first = log_factor.size() - horizon;
  for (std::size_t h = 0; h < horizon; ++h)
    ahead[h] = log_factor[first + h] - log_factor[first - 1];
  return ahead;
}

KnownDemand KnownDemand::since(std::size_t first) const {
  KnownDemand known;
  if (!log_factor.empty())
    known.log_factor.assign(log_factor.begin() + static_cast<std::ptrdiff_t>(first),
                            log_factor.end());
  for (const auto& [from, to] : left_out) {
    if (to > first) known.left_out.emplace_back(from - std::min(from, first), to - first);
  }
  for (const std::size_t at : shifts) {
    if (at > first) known.shifts.push_back(at - first);
  }
  return known;
}

KnownDemand KnownDemand::until(std::size_t end, std::size_t horizon) const {
  KnownDemand known;
  known.log_factor = log_factor;
  if (!log_factor.empty()) known.log_factor.resize(end + horizon, log_factor.back());
  for (const auto& [from, to] : left_out) {
    if (from < end) known.left_out.emplace_back(from, std::min(to, end));
  }
  for (const std::size_t at : shifts) {
    if (at < end) known.shifts.push_back(at);
  }
  return known;
}

double Past::chance() const {
  for (const Bend& bend : events.bends) {
    if (bend.chance < 1) return std::max(bend.chance, 1 - bend.chance);
  }
  return 1;
}

namespace {

// The steps of the whole history, where so many were left out before its events were looked for.
void count_from_the_beginning(std::size_t left_out, Past* past) {
  for (Event& shift : past->events.shifts) shift.at += left_out;
  for (Event& odd : past->events.odd) odd.at += left_out;
  for (Events* events : {&past->events, &past->events_otherwise}) {
    for (Bend& bend : events->bends) bend.at += left_out, bend.since.line_from += left_out;
  }
}

}  // namespace

Past past_of(std::vector<double> logs, std::size_t horizon, double step_s, double start_s,
             const KnownDemand& known, bool has_events) {
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
    if (has_events && seasons.size() == 2)
      past.events = events_of_days(logs, seasons.front(), known.shifts);
    past.logs = without_events(logs, past.events);
    past.season = find_season(past.logs, seasons);
    past.usual = plus(past.logs, factor_now);
    return past;
  }
  std::size_t left_out = 0;
  const std::size_t rough = seasons.empty() ? 1 : seasons.front();
  std::vector<double> level;
  const Dates dates(start_s);
  if (step_s == kDayS && dates.year_before(logs.size()) >= static_cast<std::ptrdiff_t>(kFortnight))
    level = level_with_edges(without_season(logs, rough));
  if (has_yearly_season(level, dates)) {
    left_out = dates.second_year();
    past.yearly = years_before(level, horizon, dates);
    past.logs.erase(past.logs.begin(), past.logs.begin() + static_cast<std::ptrdiff_t>(left_out));
    for (std::size_t t = 0; t < past.logs.size(); ++t) past.logs[t] -= past.yearly[t];
    past.yearly.erase(past.yearly.begin(),
                      past.yearly.end() - static_cast<std::ptrdiff_t>(horizon));
  } else if (!level.empty() && level.size() < kLeastYearly) {
    past.once = seen_once(level, horizon, dates);
  }
  // A season is hard to see through events, and events through a season.
  const auto whole_weeks = past.logs.size() >= 3 * rough ? rough : 1;
  std::vector<std::size_t> shifts;
  for (const std::size_t at : known.shifts) {
    if (at > left_out) shifts.push_back(at - left_out);
  }
  const auto events_with = [&](std::size_t season) {
    return has_events ? find_events(past.logs, season, shifts) : Events{};
  };
  past.season = find_season(without_events(past.logs, events_with(whole_weeks)), seasons);
  past.events = events_with(past.season);
  past.events_otherwise = past.events;
  if (Bend* doubtful = doubtful_of(&past.events_otherwise)) {
    doubtful->chance = 1 - doubtful->chance;
    past.otherwise = without_events(past.logs, past.events_otherwise);
  }
  past.logs = without_events(past.logs, past.events);
  if (rough == kDaysOfWeek) find_weeks_of_odd_days(logs.size(), &past.events);
  logs.erase(logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(left_out));
  past.usual = plus(without_events(logs, past.events), factor_now);
  count_from_the_beginning(left_out, &past);
  return past;
}

}  // namespace plimsoll
