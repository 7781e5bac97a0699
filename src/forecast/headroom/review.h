// The questions of a capacity review that are neither rows of a sheet nor scenarios: how many
// retries, how much of a fallback, and a cold cache. Called by forecast/headroom/headroom.h.
#pragma once

#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/figures.h"
#include "forecast/headroom/sheet.h"
#include "forecast/headroom/simulated.h"

namespace plimsoll {

/// By simulation what the deployment takes, by arithmetic what is given: the less of both.
ReviewAnswers review_answers(const ForecastRequest& request, const Simulated& simulated,
                             const FigureMaker& figures);

}  // namespace plimsoll
