// Did the deployment reach a steady state in this run? The record as stats/steady_state.h sees it.
#pragma once

#include "engine/run_record.h"
#include "stats/steady_state.h"

namespace plimsoll {

/// What gave up or was turned away is lost load; what could never be served, by
/// its length or since all of it is for another model, is none.
SteadyState judge_record(const RunRecord& record);

}  // namespace plimsoll
