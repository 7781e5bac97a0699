// The demand in a history: its columns as resources, summed over routes, as rates, and as the
// peaks of days where there are enough of them; and what its routes are like.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/demand/resource.h"
#include "forecast/demand/route.h"
#include "forecast/history/history.h"
#include "forecast/outlook/outlook.h"
#include "forecast/runway/route_history.h"

namespace plimsoll {

struct DemandColumn {
  Resource resource = Resource::requests;
  std::size_t series = 0;  ///< index in the history
  std::string provider;    ///< of several, the one whose demand it is; empty: all of it
};

/// Money, in $ for 730 hours at each moment.
struct Spend {
  std::vector<double> past;  ///< by window of the history
  double now = 0;            ///< the mean of the present
  Outlook ahead;
};

/// Demand in the unit of each resource. Columns are named like resources, or `requests`,
/// `prompt_tokens`, `output_tokens`, which are counts per step; with `cached_prompt_tokens` beside
/// them, prompt tokens are all there were, else those computed. Rows of routes that a provider
/// answers are demand of the provider. Columns of forecast/runway/route_history.h may be there,
/// too.
struct DemandHistory {
  bool daily_peaks = false;
  History history;
  History steps;  ///< of daily peaks: what they are the peaks of
  std::vector<DemandColumn> columns;
  std::vector<DemandProfile> profiles;  ///< by column, of all steps
  std::vector<RouteSeries> routes;      ///< by the windows of `history`
  MeanRoutes means;                     ///< likewise, of all steps
  /// Of requests (to providers, if there are any) in the last four weeks: the mean of all steps as
  /// a share of the mean of the windows, whose values are peaks.
  std::optional<double> mean_of_windows;

  /// On providers: follow_spend() finds it.
  std::optional<Spend> spend;

  /// Null if there is none.
  const HistorySeries* find(Resource resource, std::string_view provider = {}) const;
};

/// An error names what is wrong with a column: its name, or values that cannot be.
Result<DemandHistory> demand_in(const History& history, const std::string& path,
                                const std::vector<Route>& routes);
/// How the file of a history is to be read, and that of what came later.
HistoryOptions options_of(const HistoryRequest& request);
/// An error names the first route of the file that is none of these.
Result<void> check_routes(const History& history, const std::string& path,
                          const std::vector<Route>& routes);
/// The file of a history, or the trace that it names, as it is.
Result<History> read_past(const HistoryRequest& request);
/// Of what was read, on these routes, with the busiest step of each day where there are two weeks
/// of at least four values a day. `path`: for messages.
Result<DemandHistory> demand_of_past(const History& past, const std::string& path,
                                     const std::vector<Route>& routes);

inline constexpr double kPeakOfDay = 100;  // percentile: the busiest step

// The rows of routes added up: what the deployment feels, and what providers are asked for. Called
// where demand is read (forecast/runway/demand_history.h).

/// A column of counts per step, and the resource that they are as rates.
struct CountColumn {
  std::string_view name;
  Resource resource;
};

inline constexpr std::array<CountColumn, 3> kCountColumns{
    {{"requests", Resource::requests},
     {"prompt_tokens", Resource::prompt_tokens},
     {"output_tokens", Resource::output_tokens}}};

/// Providers count what they have in a cache, too. Of several providers each has a series of its
/// own besides that of all, with its name as the `route`: each has limits of its own.
History without_routes(const History& history, const std::vector<Route>& routes);

}  // namespace plimsoll
