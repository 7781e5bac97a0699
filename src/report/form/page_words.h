// The definitions of the labels that stand on a page, at its end: what `plimsoll explain` says of
// them. The script of the page (report.js) shows them beside the labels as well.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// A section with what the labels of `body` (markup) mean: heads of columns and lines, what stands
/// under large figures, verdicts in cells. Nothing where none is known. A label that several verbs
/// have means what it does for this verb.
std::string words_section(std::string_view body, std::string_view verb);

}  // namespace plimsoll
