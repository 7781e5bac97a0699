// The bill of a month while it grows. Providers are paid for every request, not for the busiest
// day, and budgets are by the month of the calendar: errors of single days partly cancel in its
// sum, those of the level do not. So each path of demand becomes a path of what the month has cost
// so far, which is over a budget from the day on that spends the rest of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/outlook/outlook.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/demand_history.h"

namespace plimsoll {

/// By step, $ since the month began, of what a month costs at each moment ($ for 730 hours).
/// `past`: the same in the steps up to the first of `usd`, which tells what the present month has
/// cost; of earlier days of it, as much as of those that are known. Months are those of the
/// calendar by the clock that is `zone_s` east of UTC; without dates, of 730 hours from the present
/// on. The `usual` of it is what the present month has cost until now.
Outlook bill_of(const Outlook& usd, std::span<const double> past, bool dated, double zone_s);

/// The quantiles of the mean of each path over the 730 hours that are expected to be the highest,
/// over all of a shorter horizon: what the dearest month costs is in proportion to it. A mean over
/// all of a horizon would hide a launch within it.
BandQuantiles dearest_month(const Outlook& outlook);

/// A month of the calendar that a history has all of, and what it cost.
struct PastBill {
  std::string month;  ///< 2026-11
  double usd = 0;
};

/// `past`: as for bill_of(), of each window of the history. None without dates.
std::vector<PastBill> past_bills(const History& history, std::span<const double> past);

/// The bill of a month of what providers charge (DemandHistory::spend) and `standing`, $ per month
/// of all else (null: nothing). None where nothing is bought by the token. Notes of it say what
/// it is, and which months of the history cost more than the budget.
std::optional<Outlook> bill_ahead(const DemandHistory& history, const Outlook* standing,
                                  double budget);

// What providers charged in each window of a history, and will: every day is priced by the requests
// and tokens of its own, because a product's mix changes and its dearest route often grows fastest;
// and each route is continued on its own, because a sum does not grow as its parts do.
// Called after routes follow the history (forecast/runway/demand_growth.h).

/// Sets DemandHistory::spend, and by route the part of the peak's price that a month costs
/// (ForecastRequest::paid_load), which a note of the history sums up. Nothing is set where nothing
/// is bought by the token. Where the file says the mean load, or what routes will be (`is_stated`:
/// says_what_will_be() of the request as it was read), the dearest month of the forecast costs as
/// much as that makes it, and the present as much as the mean load makes of it.
Result<void> follow_spend(std::span<const DemandOutlook> outlooks, bool is_stated,
                          DemandHistory* demand, ForecastRequest* request);

/// What providers are paid for is the mean of a month, as a share of the peak: of the outlook,
/// unless the request says it; where the two differ, a note of the history says so.
void follow_mean_load(std::span<const DemandOutlook> outlooks, DemandHistory* demand,
                      ForecastRequest* request);

}  // namespace plimsoll
