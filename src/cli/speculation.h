// Speculative decoding as the command line asks for it. Used by make_setup().
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/options.h"
#include "perf/speculation.h"

namespace plimsoll {

/// Nothing without --num-speculative-tokens. An error where its acceptance rate or what its draft
/// costs is not said: both decide the answer, and neither can be known here.
Result<std::optional<Speculation>> speculation_of(const Options& options);

}  // namespace plimsoll
