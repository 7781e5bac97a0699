// Demand that stopped: a route that was retired, a service that was switched off. No scale has a
// place for it, and no method continues it: nothing comes. For two weeks nobody can tell it from an
// outage, after which demand goes on as it was expected to before.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "forecast/outlook/methods.h"
#include "forecast/outlook/outlook.h"
#include "forecast/outlook/past.h"

namespace plimsoll {

struct Stop {
  std::size_t at = 0;    ///< the first step of those up to the end at which nothing came
  std::size_t days = 0;  ///< whole ones since then
  bool is_sure() const { return days >= kLongestStretch; }
};

/// None where nothing came for less than two days or two steps, or for no longer than once before;
/// of demand that comes and goes; at a weekend; and where `asked` leaves all of these steps out.
std::optional<Stop> stop_of(std::span<const double> y, const LogScale& scale,
                            const OutlookOptions& asked);

/// Where nothing since the beginning of a Saturday, for two days at most, ends the history: its
/// first step.
std::optional<std::size_t> silent_weekend(std::span<const double> y, const OutlookOptions& asked);

/// The outlook of nothing after so many values. `before`: that of what came before the stop, from
/// there to the end of the horizon, for the paths on which it returns; none: it does not.
Outlook stopped(const Stop& stop, std::size_t values, const OutlookOptions& asked,
                std::optional<Outlook> before);

// Which patterns a short history has to be trusted with, though it cannot show them. Called by
// forecast/outlook/outlook.cc.

/// A forecast needs so many.
inline constexpr std::size_t kFewestValues = 4;

/// True of two to seven days of steps shorter than a day: no day of the week came twice.
bool lacks_a_week(std::size_t values, double step_s);

/// How many values it takes to know the hours of a day, for a horizon of half a day or longer; 0
/// for a shorter one, and for steps of a day.
std::size_t enough_for_days(std::size_t horizon, double step_s);

/// Less than three days do not show that their hours come back, and hours do: a whole day at least
/// is taken to repeat itself. `season`: that was found; 1 = none.
bool repeats_its_day(std::size_t values, std::size_t season, double step_s);

/// Turns values on the level of the last weekday into those of their own weekdays. `known` has the
/// pattern of the week, `without` all else that is known.
void add_week(const KnownDemand& without, const KnownDemand& known, std::vector<double>* usual);

/// How many values passed before the first demand of all, where that is a week at least, and longer
/// than any pause since; else 0.
std::size_t silent_beginning(std::span<const double> y, double step_s);

}  // namespace plimsoll
