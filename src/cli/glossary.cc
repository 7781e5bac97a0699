#include "cli/glossary.h"

#include <algorithm>

#include "cli/flags.h"
#include "cli/help.h"
#include "cli/topics.h"

namespace plimsoll {
namespace {

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

}  // namespace

Result<std::vector<Definition>> all_definitions() {
  std::vector<Definition> all = definitions_of_pages();
  add_flags(&all);
  TRY_TO(add_topics(&all));
  return all;
}

std::vector<std::string> explained_words() {
  std::vector<std::string> words;
  const auto all = all_definitions();
  if (!all) return words;
  for (const Definition& definition : *all) {
    for (const std::string& name : definition.names) {
      if (name.find(' ') == std::string::npos) words.push_back(bare_name(name));
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace plimsoll
