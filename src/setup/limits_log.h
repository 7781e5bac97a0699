// The limits and policies of a deployment as its reports show them.
#pragma once

#include <optional>
#include <vector>

#include "engine/engine_config.h"
#include "perf/model_error.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// `engine` has what the specification leaves open; `blocks` is the interval of the KV blocks where
/// they were computed.
std::vector<ConfigEntry> describe_limits(const RunSpec& run, const EngineConfig& engine,
                                         const std::optional<KvInterval>& blocks);

}  // namespace plimsoll
