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

/// Those among `all` that explain a word as it is printed or typed, what it means on the terminal
/// first: "the model's error" is explained by "model's error", "TP2" by "TP", "lowest, median,
/// highest" by "lowest".
std::vector<Definition> senses_of(const std::vector<Definition>& all, const std::string& word);

/// Single words that `plimsoll explain` knows; for completion.
std::vector<std::string> explained_words();

}  // namespace plimsoll
