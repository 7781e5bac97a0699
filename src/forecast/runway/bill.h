// The bill of a month while it grows. Providers are paid for every request, not for the busiest
// day, and budgets are by the month of the calendar: errors of single days partly cancel in its
// sum, those of the level do not. So each path of demand becomes a path of what the month has cost
// so far, which is over a budget from the day on that spends the rest of it.
#pragma once

#include <functional>
#include <span>

#include "forecast/outlook/outlook.h"

namespace plimsoll {

/// What a demand costs where it stays the same: $ for 730 hours.
using MonthlyCost = std::function<double(double demand)>;

/// By step, $ since the month began. `past`: the same demand in the steps up to the first of
/// `demand`, which tells what the present month has cost; of earlier days of it, as much as of
/// those that are known. Months are those of the calendar by the clock that is `zone_s` east of
/// UTC; without dates, of 730 hours from the present on.
Outlook bill_of(const Outlook& demand, std::span<const double> past, bool dated, double zone_s,
                const MonthlyCost& cost);

/// The quantiles of the mean of each path: what a whole horizon costs is in proportion to it.
BandQuantiles mean_of_paths(const Outlook& outlook);

}  // namespace plimsoll
