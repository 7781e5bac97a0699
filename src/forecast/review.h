// The questions of a capacity review that are neither rows of a sheet nor scenarios: how many
// retries, how much of a fallback, and a cold cache. Called by forecast/headroom.h.
#pragma once

#include "forecast/figures.h"
#include "forecast/forecast_request.h"
#include "forecast/headroom_sheet.h"
#include "forecast/simulated.h"

namespace plimsoll {

/// By simulation what the deployment takes, by arithmetic what is given: the less of both.
ReviewAnswers review_answers(const ForecastRequest& request, const Simulated& simulated,
                             const FigureMaker& figures);

}  // namespace plimsoll
