// Which patterns a short history has to be trusted with, though it cannot show them. Called by
// forecast/outlook/outlook.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "forecast/outlook/past.h"

namespace plimsoll {

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
