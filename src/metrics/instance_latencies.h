// Latencies of requests, for each instance and for the cluster. Called by summarize().
#pragma once

#include <cstddef>

#include "engine/run_record.h"
#include "metrics/summary.h"

namespace plimsoll {

/// E2E, TTFT, scheduling delay and TPOT of the requests from `first_row` on, and ITL where the
/// definitions of the summary take it by request. Groups that completed nothing keep zeros.
void set_latencies(const RequestTable& table, std::size_t first_row, Summary* summary);

}  // namespace plimsoll
