// The parts of the text report that only some runs have: figures by SLO class, tenant and session,
// and what was asked for by a flag.
//
// The columns of the latency table that a run and an observation of a real server have in common.
#pragma once

#include <string>
#include <vector>

#include "metrics/bottleneck.h"
#include "metrics/summary.h"
#include "report/form/text_report.h"

namespace plimsoll {

/// Names of the rows, TTFT and ITL unless nothing was streamed, E2E; each with its intervals beside
/// it, where it has any.
std::vector<Column> latency_columns(const Summary& summary, bool streamed = true);

/// Mean and percentiles, in milliseconds or seconds.
Column latency_column(const std::string& name, const LatencySummary& latency);

/// For a page: TTFT and TPOT over time, with what the verdict leaves out; nothing where the summary
/// has no such course.
void add_over_time(const Summary& summary, TextReport* out);

void add_groups(const Summary& summary, TextReport* out);
void add_sections(const Summary& summary, TextReport* out);

/// Why the figures are what they are, for people: what holds the system back, the time of its
/// requests as one bar, and the lever.
void add_why(const Summary& summary, TextReport* out);

}  // namespace plimsoll
