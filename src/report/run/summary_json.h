// The JSON report of a run as an object, for reports that have more to say.
#pragma once

#include <optional>
#include <vector>

#include "base/json.h"
#include "metrics/summary.h"
#include "setup/run_config.h"

namespace plimsoll {

/// What summary_json() prints.
Json summary_object(const Summary& summary, const RunConfig& config);

/// By metric: {"low", "high", "level", "parts"}.
Json intervals_json(const std::vector<MetricInterval>& sampled,
                    const std::optional<ModelBand>& band);

}  // namespace plimsoll
