// The files that a simulating verb leaves behind (`--results-path`, `--trace-output`, `--timeline`,
// `--decisions-output`).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "engine/run_record.h"
#include "metrics/goodput.h"
#include "report/run/decision_trace.h"
#include "report/run/timeline.h"
#include "setup/setup.h"
#include "setup/traffic.h"

namespace plimsoll {

/// Before the run, what would spoil its files after it.
Result<void> check_outputs(const Command& command);

/// Null unless decisions are to be traced.
std::unique_ptr<DecisionTrace> open_decisions(const Options& options, const Setup& setup);

/// The notes on flags that ask for details of what is not traced.
std::vector<std::string> notes_on_decisions(const Options& options);

/// Null without --timeline.
std::unique_ptr<TimelineWriter> open_timeline(const Options& options);

/// The files that were asked for, to be written; a recorded trace states the `targets` that the run
/// is judged by. All arguments have to outlive it.
std::vector<SideFile> output_files(const Command& command, const Setup& setup,
                                   const Traffic& traffic, const RunRecord& record,
                                   const TraceRecorder& recorder, const GoodputTargets& targets,
                                   TimelineWriter* timeline);

}  // namespace plimsoll
