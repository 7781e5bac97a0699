// The columns of the latency table that a run and an observation of a real server have in common.
#pragma once

#include <vector>

#include "metrics/summary.h"
#include "report/form/table.h"

namespace plimsoll {

/// Names of the rows, TTFT and ITL unless nothing was streamed, E2E; each with its intervals beside
/// it, where it has any.
std::vector<Column> latency_columns(const Summary& summary, bool streamed = true);

/// Mean and percentiles, in milliseconds or seconds.
Column latency_column(const std::string& name, const LatencySummary& latency);

}  // namespace plimsoll
