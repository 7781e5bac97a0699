// The summary for people: verdict, evidence, what holds the system back, what was assumed, what to
// try next.
#pragma once

#include <string>

#include "metrics/summary.h"
#include "report/form/style.h"
#include "setup/run_config.h"

namespace plimsoll {

/// The verdict alone: one sentence in one line, without colour, ended by a newline.
std::string verdict_text(const Summary& summary, const RunConfig& config);

/// All of it, within the width.
std::string summary_text(const Summary& summary, const RunConfig& config, const Style& style);

}  // namespace plimsoll
