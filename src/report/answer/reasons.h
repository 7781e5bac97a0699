// The causes of base/because.h in words: one sentence each, without a period. Nothing else composes
// them, and nothing reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/bottleneck.h"
#include "metrics/pools.h"
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

// The limit that holds a run back, in words: what metrics/bottleneck.h found.

std::string_view name_of(LimitKind limit);         ///< "memory"
std::string_view name_of(ShortResource resource);  ///< "decode bandwidth"

/// One sentence with the figures behind it, without a period.
std::string reason_text(const Limit& limit);
/// Likewise: what would help, with the figures to try; empty if nothing would.
std::string lever_text(const Limit& limit);
/// The same of a remedy alone.
std::string remedy_text(const Because<Remedy>& remedy);

/// "1 instance for prefill and 3 for decode", "6 instances (2 h100 + 4 l40s)"
std::string deployed_text(const std::vector<PoolSize>& pools);
std::string deployed_text(const Pools& pools);
std::string_view name_of(PoolVerdict verdict);  ///< "prefill short"
/// The busiest link: "the link between them", "the link of l40s".
std::string link_name(const TransferFigures& link);
/// Which pool is short and which idle: "decode is short (prefill 40.0 % full, decode 95.0 % full)".
std::string shortage_text(const Pools& pools);
/// The same, and what would balance them.
std::string reason_text(const Pools& pools);

}  // namespace plimsoll
