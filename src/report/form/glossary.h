// The meanings of the words of the field, the labels and the figures of the reports, as the tables
// of the embedded pages say it (docs/reference/glossary.md, labels.md, metrics.md).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll {

struct Definition {
  std::vector<std::string> names;  ///< as in "load, offered rate"
  std::string kind;                ///< head of the column of names: "term", "key", ...
  std::string source;              ///< "glossary", "metrics, Latency", "list schedulers", ...
  /// The facts about it, each under a heading: "meaning", "unit", ...
  std::vector<std::pair<std::string, std::string>> facts;
  /// Words in backticks in these facts: the values that a key or label may have, among others.
  std::vector<std::string> values = {};
};

/// The rows of the tables of a Markdown page, as plain text: the first cell holds the names, the
/// head of the table the headings; the section ("## ") is added to the source.
std::vector<Definition> definitions_in(std::string_view markdown, const std::string& source);

/// Those of the embedded pages.
std::vector<Definition> definitions_of_pages();

/// Those of the pages: "key" are the figures and other keys of --json.
std::vector<Definition> definitions_of_kind(std::string_view kind);

/// A name as it is asked for: small letters, flags without their dashes.
std::string bare_name(const std::string& name);

/// Those among `all` that are called so, in any spelling: "KV blocks", "kv_block" and "kv-block"
/// are one word.
std::vector<Definition> called(const std::vector<Definition>& all, const std::string& word);

/// Those among `all` that explain the word: "3 instances" is explained by "instances", "TTFT p99
/// ms" by "TTFT", "shortfall" by what has it as a value, "p95_ttft_ms" as "ttft_p95", figures of
/// a stage such as "stage:ttft_ms.mean" as those of a whole case.
std::vector<Definition> definitions_of(const std::vector<Definition>& all, const std::string& word);

/// In one line: one fact is the meaning itself, several need their headings.
std::string meaning_of(const Definition& definition);

}  // namespace plimsoll
