// The limits of an instance from the options: what is not said there is as the batching rule has
// it. Used by make_setup().
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "cli/options.h"
#include "engine/engine_config.h"

namespace plimsoll {

/// All but the number of KV blocks and the longest request. An error says what the rule does not
/// allow.
Result<EngineConfig> engine_limits(const Options& options, const Semantics& semantics,
                                   const ModelConfig& model);

/// Flags that were given in vain, and how many requests run at a time where that follows from the
/// longest one. `engine` is complete.
std::vector<std::string> notes_on_limits(const Options& options, const EngineConfig& engine);

}  // namespace plimsoll
