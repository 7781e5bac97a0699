// `plimsoll explain`: what does this word, figure, flag or name mean?
#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/glossary.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/table.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

std::string name_and_source(const Definition& definition) {
  return join(definition.names, ", ") + " (" + definition.source + ")";
}

std::string text_in_full(const Definition& definition) {
  std::string out = paragraph("", name_and_source(definition), 0, kHelpWidth);
  if (definition.facts.size() == 1)
    return out + paragraph("  ", definition.facts[0].second, 2, kHelpWidth);
  std::size_t width = 0;
  for (const auto& [heading, text] : definition.facts) width = std::max(width, width_of(heading));
  for (const auto& [heading, text] : definition.facts) {
    out += paragraph("  " + heading, text, width + 4, kHelpWidth);
  }
  return out;
}

// What the page of the first sense says in full, then in short what else the word means.
std::string text_of_found(const std::vector<Definition>& found) {
  constexpr std::string_view kAlso = "also: ";
  std::string out;
  std::string others;
  for (const Definition& definition : found) {
    if (definition.source == found.front().source) {
      out += text_in_full(definition);
      continue;
    }
    others += paragraph(others.empty() ? std::string(kAlso) : "",
                        name_and_source(definition) + ": " + meaning_of(definition), kAlso.size(),
                        kHelpWidth);
  }
  return out + others;
}

Table table_of(const std::vector<Definition>& found) {
  Table table{{{"word"}, {"source"}, {"meaning"}}, {}};
  for (const Definition& definition : found) {
    table.rows.push_back({join(definition.names, ", "), definition.source, meaning_of(definition)});
  }
  return table;
}

// The nearest names, and those words of a phrase that are known alone.
tl::unexpected<Error> unknown_word(const std::vector<Definition>& all, const std::string& word) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Definition& definition : all) {
    for (const std::string& name : definition.names) names.push_back(bare_name(name));
  }
  std::vector<std::string> near = nearest_names(word, names, kMost);
  std::istringstream parts(word);
  for (std::string part; parts >> part && near.size() < kMost;) {
    const std::string known = bare_name(part);
    if (!called(all, known).empty()) add_once(&near, known);
  }
  const std::string meant = near.empty() ? "" : "did you mean \"" + join(near, "\" or \"") + "\"? ";
  return fail(ErrorKind::usage, "unknown word \"" + word + "\"",
              meant + "`plimsoll explain` lists all words");
}

// "Labels of pages: compare" of "labels-of-pages, compare".
std::string heading_of_source(const std::string& source) {
  const std::size_t comma = source.find(", ");
  std::string page = source.substr(0, comma);
  std::ranges::replace(page, '-', ' ');
  return capitalised(page) + (comma == std::string::npos ? "" : ": " + source.substr(comma + 2));
}

// The words of the field and of the reports, under the page and section that define them.
std::string text_of_all(const std::vector<Definition>& all) {
  std::string out;
  std::string source;
  std::vector<std::string> words;
  const auto flush = [&] {
    if (!words.empty())
      out += heading_of_source(source) + "\n" + paragraph("  ", join(words, ", "), 2, kHelpWidth);
    words.clear();
  };
  for (const Definition& definition : all) {
    if (definition.kind != "term" && definition.kind != "label") continue;
    if (definition.source != source) flush();
    source = definition.source;
    append(&words, definition.names);
  }
  flush();
  return out + "\n" +
         paragraph("",
                   "plimsoll explain knows flags as well, figures and keys of --json "
                   "(plimsoll list metrics) and all names of plimsoll list.",
                   0, kHelpWidth);
}

}  // namespace

Result<int> explain_verb(const Command& command) {
  TRY(all, all_definitions());
  const bool json = command.options.console.json;
  if (command.arguments.empty())
    return print_result(json ? as_json(table_of(all)) : text_of_all(all));
  const std::string word = join(command.arguments, " ");
  const std::vector<Definition> found = senses_of(all, word);
  if (found.empty()) return unknown_word(all, word);
  return print_result(json ? as_json(table_of(found)) : text_of_found(found));
}

}  // namespace plimsoll
