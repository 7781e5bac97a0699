// How fast each instance of an engine answered, window by window, by the counters and histograms
// that Prometheus recorded: what a calibration is fitted to (setup/measured_windows.h).
//
// A window lasts a step of the recording, or the steps that make ten minutes. Left out are windows
// with a gap or a restart in them, with few requests, whose load rises or falls, and those of an
// overload, whose latencies say how long it lasted, not how long a step takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/history/history.h"

namespace plimsoll {

/// What one instance did for a while: means over the requests of that while.
struct MeasuredWindow {
  double begin_s = 0;  ///< since 1970
  double requests_per_s = 0;
  double prompt_tokens = 0;  ///< cached ones included
  double cached_tokens = 0;  ///< of the prompt
  double output_tokens = 0;
  std::optional<double> ttft_ms;  ///< one latency at least is there
  std::optional<double> tpot_ms;  ///< mean of all gaps between tokens
};

struct LatencyWindows {
  std::vector<MeasuredWindow> windows;  ///< at least one
  TrafficShape shape;                   ///< of the requests of all
  std::string model;                    ///< as the engine names it; empty: it does not
  std::vector<std::string> notes;       ///< on what was left out
};

/// `text`: an answer to a range query, as forecast/history/recorded_counters.h takes it. A spec
/// error if it lacks what a window is made of, or no window is left.
Result<LatencyWindows> read_latency_windows(const std::string& text, const std::string& file);

}  // namespace plimsoll
