// The demand of a recorded trace: requests and tokens counted by windows of time, and their shape.
#pragma once

#include <string>

#include "base/result.h"
#include "forecast/history/history.h"
#include "workload/trace_formats.h"

namespace plimsoll {

/// Errors are those of the trace, or name the file where it has no whole window or too many.
Result<History> read_trace_history(const std::string& path, TraceFormat format, double step_s);

}  // namespace plimsoll
