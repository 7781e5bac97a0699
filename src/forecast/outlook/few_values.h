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

/// Hours of two days to a week, of which none came on two weeks.
bool lacks_a_week(std::size_t values, double step_s);

/// Values below which nothing is known of the hours that a horizon of half a day or longer meets; 0
/// of a shorter one, and of days.
std::size_t enough_for_days(std::size_t horizon, double step_s);

/// Less than three days do not show that their hours come back, and hours do: a whole day at least
/// is taken to repeat itself. `season`: that was found; 1 = none.
bool repeats_its_day(std::size_t values, std::size_t season, double step_s);

/// Turns values as they would be on the last day of the week that is known, and was not `without`
/// it, into those of their own days.
void add_week(const KnownDemand& without, const KnownDemand& known, std::vector<double>* usual);

/// How many values passed before the first demand of all, where that is a week at least, and longer
/// than any pause since; else 0.
std::size_t silent_beginning(std::span<const double> y, double step_s);

}  // namespace plimsoll
