// The summary for people: verdict, evidence, what holds the system back, what was assumed, what to
// try next.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/bottleneck.h"
#include "metrics/summary.h"
#include "metrics/workload_shape.h"
#include "report/answer/decision.h"
#include "report/form/table.h"
#include "report/form/text_report.h"
#include "setup/run_config.h"

namespace plimsoll {

Decision decision_of(const Summary& summary, const RunConfig& config);

/// "[77.9, 80.4]", in multiples of `unit`; empty without one.
std::string interval_text(const MetricInterval* interval, double unit);

/// False: none completed, or a warm-up leaves none.
bool has_latencies(const Summary& summary);

/// The decision behind the verdict on steadiness, in one line without colour, ended by a newline.
std::string verdict_text(const Summary& summary, const RunConfig& config);

/// All of it, within the width.
std::string summary_text(const Summary& summary, const RunConfig& config, const Style& style);

// The parts of the text report that only some runs have: figures by SLO class, tenant and session,
// and what was asked for by a flag.
//
// The columns of the latency table that a run and an observation of a real server have in common.

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

// The shape of a workload for people and for programs: what `plimsoll describe` prints.

/// The notes on what the figures rest on, beside the workload itself.
struct ShapeNotes {
  std::int64_t block_tokens = 16;
  bool prefixes_are_known = true;  ///< else the trace does not record which prompts share a prefix
  std::vector<std::string> assumed;
  std::string next_command;  ///< that serves this workload; may be empty
};

/// One sentence or two in one line, ended by a newline.
std::string shape_verdict(const WorkloadShape& shape, const ShapeNotes& notes);

/// The charts of its page: how much arrives over time, how long prompts and answers are.
std::string shape_figures(const WorkloadShape& shape);

std::string shape_text(const WorkloadShape& shape, const ShapeNotes& notes, const Style& style);

/// Exactly one JSON object, indented by two spaces and ended by a newline. Figures that this
/// workload is too short for are null.
std::string shape_json(const WorkloadShape& shape, const ShapeNotes& notes);

}  // namespace plimsoll
