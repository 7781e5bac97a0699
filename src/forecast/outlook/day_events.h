// The events of a history that is shorter than three weeks, in which no pattern of a week can be
// found: whether an odd day is one of every week, and what happened to the days of a history of
// hours. Called by forecast/outlook/past.cc.
#pragma once

#include <cstddef>
#include <span>

#include "forecast/outlook/events.h"

namespace plimsoll {

/// Sets `weeks` of the odd days of a history of so many steps.
void find_weeks_of_odd_days(std::size_t values, Events* events);

/// The events of the means of whole days, of `day` steps each, in steps. None of fewer than six
/// days or three weeks and more. `known`: steps at which a new level begins.
Events events_of_days(std::span<const double> logs, std::size_t day,
                      std::span<const std::size_t> known);

}  // namespace plimsoll
