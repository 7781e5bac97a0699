// How this command writes for people: what its terminal can show, and whether it wants notes.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "report/run/terminal.h"

namespace plimsoll {

/// From --color, the environment (COLUMNS, NO_COLOR, TERM, the locale) and the terminal itself; 80
/// columns wide where neither tells.
Style style_of_stdout(ColorChoice choice);

/// The same for lists: where no width is known, as in a pipe, a row is a line, for grep and others.
Style style_of_lists();

/// On stderr, unless --log says otherwise.
void print_notes(const Options& options, const std::vector<std::string>& notes);

}  // namespace plimsoll
