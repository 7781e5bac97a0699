// The parts of the text report that only some runs have: figures by SLO class, tenant and session,
// and what was asked for by a flag. Called by summary_text().
#pragma once

#include <cstddef>
#include <string>

#include "metrics/summary.h"

namespace plimsoll {

/// Tables, each followed by an empty line.
std::string group_tables(const Summary& summary);

/// Labelled paragraphs.
std::string section_paragraphs(const Summary& summary, std::size_t indent, std::size_t width);

}  // namespace plimsoll
