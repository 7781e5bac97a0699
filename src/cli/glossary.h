// What the words of the field and the figures of the reports mean, as the tables of the embedded
// pages (docs/reference/glossary.md, docs/reference/metrics.md) and those of `plimsoll list` say
// it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace plimsoll {

struct Definition {
  std::vector<std::string> names;  ///< as in "load, offered rate"
  std::string kind;                ///< head of the column of names: "term", "key", ...
  std::string source;              ///< "glossary", "metrics, Latency", "list schedulers", ...
  /// What is known of it, each under a heading: "meaning", "unit", ...
  std::vector<std::pair<std::string, std::string>> facts;
  /// Words in backticks in these facts: the values that a key or label may have, among others.
  std::vector<std::string> values = {};
};

/// The rows of the tables of a Markdown page, as plain text: the first cell holds the names, the
/// head of the table the headings; the section ("## ") is added to the source.
std::vector<Definition> definitions_in(std::string_view markdown, const std::string& source);

/// All of them: pages, flags, and what `plimsoll list` knows.
Result<std::vector<Definition>> all_definitions();

/// Those of the pages: "key" are the figures and other keys of --json.
std::vector<Definition> definitions_of_kind(std::string_view kind);

/// Single words that `plimsoll explain` knows; for completion.
std::vector<std::string> explained_words();

}  // namespace plimsoll
