// Speculative decoding as it is asked for. Used by make_setup().
#pragma once

#include <optional>

#include "base/result.h"
#include "perf/speculation.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// Nothing without --num-speculative-tokens. An error where its acceptance rate or what its draft
/// costs is not said: both decide the answer, and neither can be known here.
Result<std::optional<Speculation>> speculation_of(const RunSpec& run);

}  // namespace plimsoll
