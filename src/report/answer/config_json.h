// What was said and what stood in, as JSON: for every report that is a JSON object.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "setup/run_config.h"

namespace plimsoll {

/// By key: {"value", "origin"}.
nlohmann::ordered_json config_json(const std::vector<ConfigEntry>& entries);

}  // namespace plimsoll
