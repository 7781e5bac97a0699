// The summary for people: verdict, evidence, what holds the system back, what was assumed, what to
// try next.
#pragma once

#include <string>

#include "metrics/summary.h"
#include "report/answer/decision.h"
#include "report/form/style.h"
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

}  // namespace plimsoll
