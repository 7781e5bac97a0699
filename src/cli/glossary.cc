#include "cli/glossary.h"

#include "base/embedded_file.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/help.h"
#include "cli/topics.h"

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
  for (const char c : cell) {
    if (c == '(') ++depth;
    if (depth == 0 && c == ',') {
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

void add_flags(std::vector<Definition>* out) {
  for (const Flag& flag : flags()) {
    out->push_back({{std::string(flag.name)}, "flag", "flag", {{"help", flag_help(flag)}}});
  }
}

Result<void> add_topics(std::vector<Definition>* out) {
  for (const Topic& topic : topics()) {
    if (!topic.explains) continue;
    TRY(table, topic.table());
    for (const std::vector<std::string>& row : table.rows) {
      Definition definition{{row[0]}, "name", "list " + std::string(topic.name), {}};
      const std::size_t slash = row[0].find('/');
      if (slash != std::string::npos) definition.names.push_back(row[0].substr(slash + 1));
      for (std::size_t c = 1; c < row.size(); ++c) {
        if (!row[c].empty()) definition.facts.emplace_back(table.columns[c].key, row[c]);
      }
      out->push_back(std::move(definition));
    }
  }
  return {};
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

}  // namespace

std::vector<Definition> definitions_in(std::string_view markdown, const std::string& source) {
  std::vector<Definition> out;
  std::string section;
  std::vector<std::string> head;
  bool ruled = false;  // the line under the head was passed
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    const std::vector<std::string> cells = cells_of(line);
    if (line.starts_with("## ")) section = ", " + without_markup(line.substr(3));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
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

std::vector<Definition> definitions_of_kind(std::string_view kind) {
  std::vector<Definition> found;
  for (Definition& definition : definitions_of_pages()) {
    if (definition.kind == kind) found.push_back(std::move(definition));
  }
  return found;
}

Result<std::vector<Definition>> all_definitions() {
  std::vector<Definition> all = definitions_of_pages();
  add_flags(&all);
  TRY_TO(add_topics(&all));
  return all;
}

}  // namespace plimsoll
