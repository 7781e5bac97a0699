// The limits and policies of a deployment as its reports show them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/engine_config.h"
#include "perf/model_error.h"
#include "perf/speculation.h"
#include "setup/config_log.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// The parameters of the policies that are used, of the kind that the flag chooses from.
void note_parameters(std::string_view flag, const RunSpec& run, ConfigLog* log);

/// `engine` has what the specification leaves open; `blocks` is the interval of the KV blocks where
/// they were computed.
std::vector<ConfigEntry> describe_limits(const RunSpec& run, const EngineConfig& engine,
                                         const std::optional<Speculation>& speculation,
                                         const std::optional<KvInterval>& blocks);

}  // namespace plimsoll
