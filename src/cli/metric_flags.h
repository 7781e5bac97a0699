// From the options to what summarize() is asked for. Called by the verbs that simulate, before the
// simulation starts: a mistake in a flag costs no run.
#pragma once

#include "base/result.h"
#include "cli/options.h"
#include "metrics/summary.h"

namespace plimsoll {

/// All but what only the traffic knows (labels).
Result<SummaryOptions> metric_options(const Options& options);

}  // namespace plimsoll
