// The speculative decoding that is asked for: what proposes tokens, what that costs, and how many
// of them are accepted by position.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/model.h"
#include "perf/speculation.h"
#include "setup/config_log.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// Nothing without --num-speculative-tokens. An error where the acceptance or what the draft costs
/// is not said: both decide the answer, and neither can be known here.
Result<std::optional<Speculation>> speculation_of(const RunSpec& run, const ModelConfig& model);

/// A note where a preset is used with another model than it was measured with.
std::vector<std::string> notes_on_preset(const RunSpec& run, const ModelConfig& model);

/// With the acceptance by position as --acceptance-rate takes it, to four decimal places.
void describe_speculation(const SpeculationSpec& asked, const Speculation& speculation,
                          ConfigLog* log);

}  // namespace plimsoll
