// How fast each instance of an engine answered, window by window, by the counters and histograms
// that Prometheus recorded: what a calibration is fitted to (calibration/measured_window.h).
//
// A window lasts a step of the recording, or the steps that make ten minutes. Left out are windows
// with a gap or a restart in them, with few requests, whose load rises or falls, and those of an
// overload, whose latencies say how long it lasted, not how long a step takes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "calibration/measured_window.h"

namespace plimsoll {

struct LatencyWindows {
  std::vector<MeasuredWindow> windows;  ///< at least one
  std::vector<std::string> notes;       ///< on what was left out
};

/// `text`: an answer to a range query, as forecast/history/recorded_counters.h takes it. A spec
/// error if it lacks what a window is made of, or no window is left.
Result<LatencyWindows> read_latency_windows(const std::string& text, const std::string& file);

}  // namespace plimsoll
