// All words that `plimsoll explain` knows: those of the pages (report/form/glossary.h), flags, and
// the names of `plimsoll list`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/form/glossary.h"

namespace plimsoll {

/// All of them: pages, flags, and what `plimsoll list` knows.
Result<std::vector<Definition>> all_definitions();

/// Single words that `plimsoll explain` knows; for completion.
std::vector<std::string> explained_words();

}  // namespace plimsoll
