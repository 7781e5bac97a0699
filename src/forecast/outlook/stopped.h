// Demand that stopped: a route that was retired, a service that was switched off. No scale has a
// place for it, and no method continues it: nothing comes. For two weeks nobody can tell it from an
// outage, after which demand goes on as it was expected to before.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "forecast/outlook/log_scale.h"
#include "forecast/outlook/outlook.h"

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

}  // namespace plimsoll
