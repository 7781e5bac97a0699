// `plimsoll explain`: what does this word, figure, flag or name mean?
#include <algorithm>
#include <functional>
#include <sstream>

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

// Flags are asked for without their dashes.
std::string bare(const std::string& name) {
  return to_lower(name.starts_with("--") ? name.substr(2) : name);
}

// "KV blocks", "kv_block" and "kv-block" are one word.
std::string plain(const std::string& name) {
  std::string text = bare(name);
  std::ranges::replace(text, '_', ' ');
  std::ranges::replace(text, '-', ' ');
  if (text.size() > 3 && text.ends_with('s') && !text.ends_with("ss")) text.pop_back();
  return text;
}

// Those that have the word as it is written among `words`, if any have; else in any spelling.
std::vector<Definition> with_word(const std::vector<Definition>& all,
                                  std::vector<std::string> Definition::*words,
                                  const std::string& word) {
  std::vector<Definition> found;
  for (const auto spelling : {bare, plain}) {
    for (const Definition& definition : all) {
      const auto is_meant = [&](const std::string& one) { return spelling(one) == spelling(word); };
      if (std::ranges::any_of(definition.*words, is_meant)) found.push_back(definition);
    }
    if (!found.empty()) break;
  }
  return found;
}

std::vector<Definition> called(const std::vector<Definition>& all, const std::string& word) {
  return with_word(all, &Definition::names, word);
}

bool is_statistic_or_unit(std::string_view part) {
  constexpr std::string_view kParts[]{"mean", "min", "max", "stdev", "ms",
                                      "us",   "s",   "rps", "share", "%"};
  const bool percentile =
      part.size() > 1 && part[0] == 'p' && part.find_first_not_of("0123456789.", 1) == part.npos;
  return percentile || std::ranges::count(kParts, part) > 0;
}

// "ttft_p99_ms" and "TTFT p99 ms" are explained by "ttft": statistic and unit are taken off the end
// until something is known.
std::vector<Definition> find_without_unit(const std::vector<Definition>& all, std::string word) {
  const auto is_key = [](const Definition& d) { return d.source.starts_with("json"); };
  for (bool as_asked = true; true; as_asked = false) {
    std::vector<Definition> found = called(all, word);
    // A key of JSON is meant only by its whole name; other meanings come first.
    if (!as_asked) std::erase_if(found, is_key);
    std::stable_partition(found.begin(), found.end(), std::not_fn(is_key));
    const std::size_t part = word.find_last_of("_ .");
    if (!found.empty() || part == word.npos) return found;
    if (!is_statistic_or_unit(std::string_view(word).substr(part + 1))) return {};
    word.resize(part);
  }
}

// "3 instances" is explained by "instances", "shortfall" by what has it as a value, figures of a
// stage such as "stage:ttft_ms.mean" as those of a whole case.
std::vector<Definition> find(const std::vector<Definition>& all, const std::string& word) {
  constexpr std::string_view kOfStage = "stage:";
  if (word.starts_with(kOfStage)) return find(all, word.substr(kOfStage.size()));
  std::vector<Definition> found = find_without_unit(all, word);
  const std::size_t end = word.find_first_not_of("0123456789,.");
  if (found.empty() && end != word.npos && end > 0 && word[end] == ' ')
    found = find_without_unit(all, word.substr(end + 1));
  return found.empty() ? with_word(all, &Definition::values, word) : found;
}

// One fact is the meaning itself; several need their headings.
std::string meaning(const Definition& definition) {
  if (definition.facts.size() == 1) return definition.facts[0].second;
  std::vector<std::string> parts;
  for (const auto& [heading, text] : definition.facts) parts.push_back(heading + ": " + text);
  return join(parts, "; ");
}

std::string text_of_found(const std::vector<Definition>& found) {
  std::string out;
  for (const Definition& definition : found) {
    out +=
        paragraph("", join(definition.names, ", ") + " (" + definition.source + ")", 0, kHelpWidth);
    if (definition.facts.size() == 1) {
      out += paragraph("  ", definition.facts[0].second, 2, kHelpWidth);
      continue;
    }
    std::size_t width = 0;
    for (const auto& [heading, text] : definition.facts) width = std::max(width, width_of(heading));
    for (const auto& [heading, text] : definition.facts) {
      out += paragraph("  " + heading, text, width + 4, kHelpWidth);
    }
  }
  return out;
}

Table table_of(const std::vector<Definition>& found) {
  Table table{{{"word"}, {"source"}, {"meaning"}}, {}};
  for (const Definition& definition : found) {
    table.rows.push_back({join(definition.names, ", "), definition.source, meaning(definition)});
  }
  return table;
}

// The nearest names, and those words of a phrase that are known alone.
tl::unexpected<Error> unknown_word(const std::vector<Definition>& all, const std::string& word) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Definition& definition : all) {
    for (const std::string& name : definition.names) names.push_back(bare(name));
  }
  std::vector<std::string> near = nearest_names(word, names, kMost);
  std::istringstream parts(word);
  for (std::string part; parts >> part && near.size() < kMost;) {
    const std::string known = bare(part);
    if (std::ranges::count(near, known) == 0 && !called(all, known).empty()) near.push_back(known);
  }
  const std::string meant = near.empty() ? "" : "did you mean \"" + join(near, "\" or \"") + "\"? ";
  return fail(ErrorKind::usage, "unknown word \"" + word + "\"",
              meant + "`plimsoll explain` lists all words");
}

// The words of the field and of the reports, under the page and section that define them.
std::string text_of_all(const std::vector<Definition>& all) {
  std::string out;
  std::string source;
  std::vector<std::string> words;
  const auto flush = [&] {
    if (!words.empty()) out += source + "\n" + paragraph("  ", join(words, ", "), 2, kHelpWidth);
    words.clear();
  };
  for (const Definition& definition : all) {
    if (definition.kind != "term" && definition.kind != "label") continue;
    if (definition.source != source) flush();
    source = definition.source;
    words.insert(words.end(), definition.names.begin(), definition.names.end());
  }
  flush();
  return out + "\n" +
         paragraph("",
                   "plimsoll explain knows flags as well, figures and keys of --json "
                   "(plimsoll list metrics) and all names of plimsoll list.",
                   0, kHelpWidth);
}

}  // namespace

std::vector<std::string> explained_words() {
  std::vector<std::string> words;
  const auto all = all_definitions();
  if (!all) return words;
  for (const Definition& definition : *all) {
    for (const std::string& name : definition.names) {
      if (name.find(' ') == std::string::npos) words.push_back(bare(name));
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

Result<int> explain_verb(const Command& command) {
  TRY(all, all_definitions());
  const bool json = command.options.console.json;
  if (command.arguments.empty())
    return print_result(json ? as_json(table_of(all)) : text_of_all(all));
  const std::string word = join(command.arguments, " ");
  const std::vector<Definition> found = find(all, bare(word));
  if (found.empty()) return unknown_word(all, word);
  return print_result(json ? as_json(table_of(found)) : text_of_found(found));
}

}  // namespace plimsoll
