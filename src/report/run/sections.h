// The parts of the text report that only some runs have: figures by SLO class, tenant and session,
// and what was asked for by a flag. Called by summary_text().
//
// The columns of the latency table that a run and an observation of a real server have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/bottleneck.h"
#include "metrics/summary.h"
#include "report/form/table.h"

namespace plimsoll {

/// Names of the rows, TTFT and ITL unless nothing was streamed, E2E; each with its intervals beside
/// it, where it has any.
std::vector<Column> latency_columns(const Summary& summary, bool streamed = true);

/// Mean and percentiles, in milliseconds or seconds.
Column latency_column(const std::string& name, const LatencySummary& latency);

/// Tables, each followed by an empty line.
std::string group_tables(const Summary& summary);

/// Labelled paragraphs.
std::string section_paragraphs(const Summary& summary, std::size_t indent, std::size_t width);

/// Why the figures are what they are, for people: what holds the system back, the time of its
/// requests as one bar, and the lever. Lines within `width` columns, their text from column
/// `indent` on, each ended by a newline.
std::string why_text(const Bottleneck& bottleneck, bool utf8, std::size_t indent,
                     std::size_t width);

}  // namespace plimsoll
