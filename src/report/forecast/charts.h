// The figures and tables that carry a forecast, for its page.
#pragma once

#include <string>

#include "report/forecast/forecast.h"

namespace plimsoll {

/// One gauge for each resource with a capacity: baseline and forecast up to the load line.
std::string headroom_gauges(const ForecastReport& report);

/// Scenario by resource, how much of each is used; how much of the demand is held, and what shows
/// it first. The forecast itself is the first row.
std::string scenario_matrix(const ForecastReport& report);

/// What each lever gains, costs and makes worse; the best first. Empty without levers.
std::string levers_table(const ForecastReport& report);

/// Demand ahead of its line, for the resource that runs out first; GPUs needed over time. Empty
/// without a history.
std::string runway_figures(const ForecastReport& report);

/// "tight" or "short", as cells of report/form/page.h are marked; empty where all is well.
std::string_view mood_of(Risk risk);

}  // namespace plimsoll
