// What holds the system back, and where the time of its requests goes. Called by summarize().
#pragma once

#include "engine/run_record.h"
#include "metrics/summary.h"

namespace plimsoll {

/// `summary` has its figures and its verdict already.
Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary);

}  // namespace plimsoll
