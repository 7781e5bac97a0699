// What was said and what stood in, as JSON: for every report that is a JSON object.
#pragma once

#include <vector>

#include "base/json.h"
#include "setup/run_config.h"

namespace plimsoll {

/// By key: {"value", "origin"}.
Json config_json(const std::vector<ConfigEntry>& entries);

}  // namespace plimsoll
