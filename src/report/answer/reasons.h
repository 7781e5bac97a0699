// What the causes of base/because.h say in words: one sentence each, without a period. Called by
// every answer; nothing else composes them, and nothing reads them.
#pragma once

#include <string>
#include <vector>

#include "metrics/warmup.h"
#include "planner/load_probe.h"
#include "planner/plan.h"
#include "stats/steady_state.h"

namespace plimsoll {

std::string reason_text(const SteadyState& state);
/// Empty when nothing was asked for.
std::string reason_text(const Warmup& warmup);
/// `slos`: those that it was tested for.
std::string reason_text(const LoadProbe& test, const std::vector<Slo>& slos);
/// Empty for the best.
std::string reason_text(const CandidateResult& result, const PlanRequest& request);

/// "no spot price is known for", and the flag that gives such prices.
std::string no_price_for(const Purchase& purchase, const std::vector<std::string>& missing);
const char* price_flag(const Purchase& purchase);

}  // namespace plimsoll
