// The routes of a history, one row for each: what they were in the busy hours of the last season,
// and what they become.
#pragma once

#include <string>

#include "report/forecast/forecast.h"

namespace plimsoll {

/// Empty where the history does not tell.
std::string routes_ahead_text(const ForecastReport& report);
std::string routes_ahead_html(const ForecastReport& report);

}  // namespace plimsoll
