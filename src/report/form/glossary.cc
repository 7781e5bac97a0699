#include "report/form/glossary.h"

#include <algorithm>
#include <functional>

#include "base/embedded_file.h"
#include "base/text.h"
#include "metrics/figures.h"

namespace plimsoll {
namespace {

// The cells of "| a | b |"; none of another line.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  if (!line.starts_with("|")) return cells;
  for (std::size_t begin = 1; begin < line.size();) {
    const std::size_t end = std::min(line.find('|', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

// Without backticks, emphasis and marks of what is new; of a link only its text.
std::string without_markup(std::string_view markdown) {
  constexpr std::string_view kNew = "*new*: ";
  if (markdown.starts_with(kNew)) markdown.remove_prefix(kNew.size());
  std::string out;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    const char c = markdown[i];
    if (c == ']' && i + 1 < markdown.size() && markdown[i + 1] == '(') {
      i = std::min(markdown.find(')', i), markdown.size() - 1);
    } else if (c != '`' && c != '*' && c != '[') {
      out += c;
    }
  }
  return trimmed(out);
}

// "load, offered rate" are two names; what stands in parentheses is none.
std::vector<std::string> names_in(std::string_view cell) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char c = cell[i];
    if (c == '(') ++depth;
    const bool ends = c == ',' && cell.substr(i + 1, 1) == " ";  // not in "per 1,000 requests"
    if (depth == 0 && ends) {
      names.emplace_back();
    } else if (depth == 0) {
      names.back() += c;
    }
    if (c == ')') --depth;
  }
  for (std::string& name : names) name = without_markup(name);
  return names;
}

// `ok` below 80 %, `tight` above: "ok", "tight".
void add_values_in(std::string_view cell, std::vector<std::string>* out) {
  std::size_t end = 0;
  for (std::size_t begin; (begin = cell.find('`', end)) != cell.npos; ++end) {
    end = cell.find('`', begin + 1);
    if (end == cell.npos) return;
    out->emplace_back(cell.substr(begin + 1, end - begin - 1));
  }
}

void add_row(const std::vector<std::string>& head, const std::vector<std::string>& cells,
             const std::string& source, std::vector<Definition>* out) {
  Definition definition{names_in(cells[0]), without_markup(head[0]), source, {}};
  for (std::size_t c = 1; c < std::min(cells.size(), head.size()); ++c) {
    if (cells[c].empty()) continue;
    definition.facts.emplace_back(without_markup(head[c]), without_markup(cells[c]));
    add_values_in(cells[c], &definition.values);
  }
  out->push_back(std::move(definition));
}

// "KV blocks", "kv_block" and "kv-block" are one word.
std::string any_spelling(const std::string& name) {
  std::string text = bare_name(name);
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
  for (const auto spelling : {bare_name, any_spelling}) {
    const std::string meant = spelling(word);
    for (const Definition& definition : all) {
      const auto is_meant = [&](const std::string& one) { return spelling(one) == meant; };
      if (std::ranges::any_of(definition.*words, is_meant)) found.push_back(definition);
    }
    if (!found.empty()) break;
  }
  return found;
}

// "p99", "(P99)", "ms"
bool is_statistic_or_unit(std::string_view part) {
  if (part.starts_with('(') && part.ends_with(')')) part = part.substr(1, part.size() - 2);
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
  std::vector<Definition> keys;
  for (bool as_asked = true; true; as_asked = false) {
    std::vector<Definition> found = called(all, word);
    // A key of JSON is meant only by its whole name; other meanings come first.
    const auto of_keys = std::stable_partition(found.begin(), found.end(), std::not_fn(is_key));
    if (as_asked) keys.assign(of_keys, found.end());
    found.erase(of_keys, found.end());
    const std::size_t part = word.find_last_of("_ .");
    const bool goes_on =
        part != word.npos && is_statistic_or_unit(std::string_view(word).substr(part + 1));
    if (!found.empty() || !goes_on) {
      found.insert(found.end(), keys.begin(), keys.end());
      return found;
    }
    word.resize(part);
  }
}

}  // namespace

std::string bare_name(const std::string& name) {
  return to_lower(name.starts_with("--") ? name.substr(2) : name);
}

std::vector<Definition> definitions_in(std::string_view markdown, const std::string& source) {
  std::vector<Definition> out;
  std::string section;
  std::vector<std::string> head;
  bool ruled = false;  // the line under the head was passed
  for (const std::string_view line : split_at(markdown, '\n')) {
    const std::vector<std::string> cells = cells_of(line);
    if (line.starts_with("## ")) section = ", " + without_markup(line.substr(3));
    if (cells.empty()) {
      head.clear();
      ruled = false;
    } else if (head.empty()) {
      head = cells;
    } else if (!ruled) {
      ruled = true;
    } else {
      add_row(head, cells, source + section, &out);
    }
  }
  return out;
}

std::vector<Definition> definitions_of_pages() {
  std::vector<Definition> all;
  for (const EmbeddedFile& page : embedded_docs()) {
    const std::string name(page.path.substr(0, page.path.find('.')));
    for (Definition& definition : definitions_in(page.text, name)) {
      all.push_back(std::move(definition));
    }
  }
  return all;
}

std::vector<Definition> definitions_of_kind(std::string_view kind) {
  std::vector<Definition> found;
  for (Definition& definition : definitions_of_pages()) {
    if (definition.kind == kind) found.push_back(std::move(definition));
  }
  return found;
}

std::vector<Definition> called(const std::vector<Definition>& all, const std::string& word) {
  return with_word(all, &Definition::names, word);
}

std::vector<Definition> definitions_of(const std::vector<Definition>& all,
                                       const std::string& word) {
  for (const std::string_view prefix : {"stage:", "vllm:"}) {
    if (word.starts_with(prefix)) return definitions_of(all, word.substr(prefix.size()));
  }
  std::vector<Definition> found = find_without_unit(all, word);
  const std::size_t end = word.find_first_not_of("0123456789,.");
  if (found.empty() && end != word.npos && end > 0 && word[end] == ' ')
    found = find_without_unit(all, word.substr(end + 1));
  if (found.empty()) found = with_word(all, &Definition::values, word);
  const std::string usual = usual_name(bare_name(word));
  return found.empty() && usual != word ? find_without_unit(all, usual) : found;
}

std::string meaning_of(const Definition& definition) {
  if (definition.facts.size() == 1) return definition.facts[0].second;
  std::vector<std::string> parts;
  for (const auto& [heading, text] : definition.facts) parts.push_back(heading + ": " + text);
  return join(parts, "; ");
}

}  // namespace plimsoll
