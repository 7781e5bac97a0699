#include "forecast/outlook/day_events.h"

#include <algorithm>

#include "base/lists.h"
#include "forecast/outlook/season.h"

namespace plimsoll {

void find_weeks_of_odd_days(std::size_t values, Events* events) {
  const std::size_t week = kDaysOfWeek * events->day;
  if (values >= kFewestSeasons * week) return;
  const auto is_odd = [&](std::size_t step, bool is_high) {
    return std::ranges::any_of(events->odd, [&](const Event& odd) {
      return odd.at <= step && step < odd.at + odd.steps && (odd.log_size > 0) == is_high;
    });
  };
  for (Event& odd : events->odd) {
    std::size_t weeks = 0;
    bool is_always = true;
    for (std::size_t t = odd.at % week; t < values; t += week, ++weeks)
      is_always = is_always && is_odd(t, odd.log_size > 0);
    odd.weeks = is_always ? weeks : 0;
  }
}

Events events_of_days(std::span<const double> logs, std::size_t day,
                      std::span<const std::size_t> known) {
  constexpr std::size_t kFewestDays = kDaysOfWeek - 1;
  const std::vector<double> days = means_of_days(logs, day);
  if (days.size() < kFewestDays || logs.size() >= kFewestSeasons * kDaysOfWeek * day) return {};
  Events events =
      find_events(days, 1, mapped(known, [&](std::size_t at) { return (at + day / 2) / day; }));
  events.day = day;
  for (Event& shift : events.shifts) shift.at *= day;
  for (Event& odd : events.odd) {
    odd.at *= day;
    odd.steps = std::min(odd.steps * day, logs.size() - odd.at);
  }
  find_weeks_of_odd_days(logs.size(), &events);
  return events;
}

}  // namespace plimsoll
