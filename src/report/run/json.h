// The summary for programs: a contract. Keys are added, never renamed or removed, without a new
// schema_version.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "metrics/summary.h"
#include "setup/run_config.h"

namespace plimsoll {

/// Exactly one JSON object, indented by two spaces and ended by a newline. After the decision come
/// the reference's keys for a cluster; doubles are the shortest text that reads back equal.
std::string summary_json(const Summary& summary, const RunConfig& config);

/// The object that summary_json() prints without the decision, for reports that have more to say.
Json summary_object(const Summary& summary, const RunConfig& config);

/// The intervals by metric: {"low", "high", "level", "parts"}.
Json intervals_json(const std::vector<MetricInterval>& sampled,
                    const std::optional<ModelBand>& band);

/// Adds the pools of a run: "disaggregation" where prompts are computed apart, "fleet" where
/// several serve whole requests; nothing where all instances are alike.
void put_pools(const Pools& pools, Json* to);

}  // namespace plimsoll
