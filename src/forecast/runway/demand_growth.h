// Where the demand of a history goes: an outlook for each of its resources, and from those what
// routes will send that do not say it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/history/history.h"
#include "forecast/outlook/outlook.h"
#include "forecast/outlook/past.h"
#include "forecast/runway/demand_history.h"
#include "forecast/runway/route_history.h"

namespace plimsoll {

struct DemandOutlook {
  Resource resource = Resource::requests;
  double now = 0;      ///< the highest value of the last season, of a week at least
  BandQuantiles peak;  ///< of the highest value within the horizon
  Outlook outlook;
  std::string provider;  ///< of several, the one whose demand it is; empty: all of it
};

/// The end of what is usual that counts as the present: a season, a week and seven values at least,
/// and back to the last one that is no pause.
std::span<const double> present_of(const Outlook& outlook);

/// How far to look ahead, and what is known of demand.
Result<OutlookOptions> outlook_options(const HistoryRequest& request, const History& history);

/// Of every column; errors name the file.
Result<std::vector<DemandOutlook>> look_ahead(const DemandHistory& demand,
                                              const HistoryRequest& request);

/// What becomes of the routes of the history; none where it does not tell.
Result<std::vector<RouteOutlook>> look_ahead_routes(const DemandHistory& demand,
                                                    std::span<const DemandOutlook> outlooks);

/// Routes that do not say what they will be are taken from the history. Its routes tell the mix and
/// what each asks for, its totals how much that is: the median of the highest demand within the
/// horizon, and 5 to 95 % of it are the band. So the forecast is above a line that is known exactly
/// if and only if the chance to cross it is above one half. What the routes do not decide is
/// forecast by its own column. No change where routes say what will be: notes of the outlooks tell
/// so. An error where nothing comes any more, or where a history by routes lacks one.
Result<void> continue_routes(std::span<DemandOutlook> outlooks,
                             const std::vector<RouteOutlook>& routes, ForecastRequest* request);

/// What the request does not say of arrivals and lengths is as in the history where that tells, and
/// a note tells so.
void follow_shape(History* history, ForecastRequest* request);

/// None for a resource without a column, or of which nothing is told of this provider alone.
const DemandOutlook* find_outlook(std::span<const DemandOutlook> outlooks, Resource resource,
                                  std::string_view provider = {});

/// The demand of each of several providers, else all of it.
std::vector<const DemandOutlook*> outlooks_of(std::span<const DemandOutlook> outlooks,
                                              Resource resource);

/// Requests, to providers where nothing else is asked for: what all else moves with that has no
/// history of its own. Null without either.
const DemandOutlook* requests_of(std::span<const DemandOutlook> outlooks);

/// What providers are paid for: requests to them, where they are told apart. Null without any.
const DemandOutlook* paid_of(std::span<const DemandOutlook> outlooks);

// The demand of routes that grow unlike each other: a route that stays as it is and one that grows
// add up to what no method continues, and each of them is simple. So a total is forecast route by
// route where that would clearly have foretold the last part of the history better.

/// Of a column: of its total, or the sum of its routes, each continued on its own.
Result<Outlook> look_ahead(const DemandHistory& demand, const DemandColumn& column,
                           const OutlookOptions& options);

// Known events and seats, laid on the steps of a history and of what lies ahead.

/// For `horizon` steps ahead. An error where the history has no dates, or an event lies where
/// neither the history nor the request tells its size; it names the event.
Result<KnownDemand> known_demand(const HistoryRequest& request, const History& history,
                                 std::size_t horizon);

/// A sentence for each; `until_s` is where the forecast ends.
std::vector<std::string> notes_of(const HistoryRequest& request, const History& history,
                                  double until_s);

// Requests and tokens of a history may peak at different hours: chat by day, batches at night. The
// sheet takes all peaks at once, with lengths between those of either hour. What the deployment
// meets are the hours, so each is simulated on its own, as a scenario that is a part of the
// forecast.

/// Adds the hours in which requests, prompt tokens and output tokens are at the median of their
/// highest demand, with the routes as the history has them then, where the lengths of one differ by
/// a quarter from those of the forecast, which follows the history. `past`: as it was read.
Result<void> add_busy_hours(const History& past, const DemandHistory& demand,
                            std::span<const DemandOutlook> outlooks, ForecastRequest* request);

}  // namespace plimsoll
