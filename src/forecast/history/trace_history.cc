#include "forecast/history/trace_history.h"

#include "workload/workload.h"

namespace plimsoll {

Result<History> read_trace_history(const std::string& path, TraceFormat format, double step_s) {
  TRY(trace, read_trace(path, format));
  WorkloadSource source(trace);
  const Duration step = duration_from_us(step_s * 1e6);
  auto history = history_of(source, step);
  if (!history) {
    const Diagnostic& what = history.error().diagnostics.front();
    return fail(history.error().kind, path + ": " + what.message, what.hint + ": \"step_s\"");
  }
  history->shape = shape_of(trace, step);
  return history;
}

}  // namespace plimsoll
