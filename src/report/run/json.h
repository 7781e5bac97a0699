// The summary for programs: a contract. Keys are added, never renamed or removed, without a new
// schema_version.
#pragma once

#include <string>

#include "metrics/summary.h"
#include "setup/run_config.h"

namespace plimsoll {

/// Exactly one JSON object, indented by two spaces and ended by a newline. Starts with the
/// reference's keys for a cluster; doubles are the shortest text that reads back equal.
std::string summary_json(const Summary& summary, const RunConfig& config);

}  // namespace plimsoll
