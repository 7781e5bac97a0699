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

/// The first step of those up to the end at which nothing comes: for two days or more, and for
/// longer than ever since demand began. None of demand that comes and goes, and where `known`
/// leaves these steps out. `day`: steps of a day.
std::optional<std::size_t> stop_of(std::span<const double> y, const LogScale& scale,
                                   std::size_t day, const KnownDemand& known);

/// `before`: the outlook of what came before step `at`, from there to the horizon of `asked`. It
/// becomes that of nothing from there on, with the chance that demand returns.
Outlook stopped(Outlook before, std::size_t at, std::size_t day, const OutlookOptions& asked);

}  // namespace plimsoll
