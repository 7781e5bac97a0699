// The answers to the questions of a capacity review, a sentence each: a cold cache, retries, and
// routes that fail over. What runs out first, the verdict says; p95 tokens stand with the routes.
#pragma once

#include <string>
#include <vector>

#include "report/forecast/forecast.h"

namespace plimsoll {

/// What breaks beyond: "TPOT p99 66.4 ms", "GPUs run out"; empty where nothing was seen to.
std::string limit_text(const Spare& spare, const std::vector<Slo>& slos);

/// Without their full stops.
std::vector<std::string> review_sentences(const ForecastReport& report);

/// The scenario in which the forecast's caches find nothing, and nothing else happens; null if the
/// file chose to have none.
const ScenarioRow* cold_scenario(const ForecastReport& report);

}  // namespace plimsoll
