// The summary for people: verdict, evidence, what holds the system back, what was assumed, what to
// try next.
#pragma once

#include <string>

#include "metrics/summary.h"
#include "setup/run_config.h"

namespace plimsoll {

/// What the terminal can show. Colour carries nothing that words do not carry too.
struct Style {
  bool color = false;
  int width = 80;  ///< columns; less than 60 counts as 60, more than 100 as 100
  bool utf8 = true;
};

/// The verdict alone: one sentence in one line, without colour, ended by a newline.
std::string verdict_text(const Summary& summary, const RunConfig& config);

/// All of it; lines stay within the width except where a command to paste is longer.
std::string summary_text(const Summary& summary, const RunConfig& config, const Style& style);

}  // namespace plimsoll
