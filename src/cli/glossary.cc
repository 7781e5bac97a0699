#include "cli/glossary.h"

#include <algorithm>
#include <string_view>

#include "base/lists.h"
#include "cli/flags.h"
#include "cli/help.h"
#include "cli/topics.h"

namespace plimsoll {
namespace {

void add_flags(std::vector<Definition>* out) {
  // Of two flags of one name, that of a simulation comes first.
  for (const bool simulates : {true, false}) {
    for (const Flag& flag : flags()) {
      const bool is_own = flag.group != FlagGroup::server && flag.group < FlagGroup::preset;
      if (is_own != simulates) continue;
      out->push_back({{std::string(flag.name)}, "flag", "flag", {{"help", flag_help(flag)}}});
    }
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

// "the model's error": "model's error".
std::string without_article(const std::string& word) {
  for (const std::string_view article : {"the ", "an ", "a "}) {
    if (word.starts_with(article)) return word.substr(article.size());
  }
  return word;
}

// "tp2": "tp".
std::string without_degree(const std::string& word) {
  constexpr std::string_view kLayouts[]{"tp", "pp", "dp", "ep"};
  const std::string layout = word.substr(0, 2);
  const bool has_degree =
      word.size() > 2 && word.find_first_not_of("0123456789", 2) == std::string::npos;
  return has_degree && contains(kLayouts, layout) ? layout : word;
}

// "chunks of 8,192 tokens": "chunks of n tokens".
std::string without_numbers(const std::string& word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool begins = i == 0 || word[i - 1] == ' ';
    const std::size_t end = std::min(word.find_first_not_of("0123456789.,", i), word.size());
    const bool is_number = begins && end > i && (end == word.size() || word[end] == ' ');
    out += is_number ? 'n' : word[i];
    if (is_number) i = end - 1;
  }
  return out;
}

// Words of the field come first, then labels of the terminal, flags, other pages and names, and
// keys of --json; of what begins with dashes the flag.
int rank_of(const Definition& definition, bool is_flag) {
  if (definition.kind == "flag") return is_flag ? 0 : 3;
  if (definition.source == "glossary") return 1;
  for (const char* page : {"labels, ", "labels-of-measurements, "}) {
    if (definition.source.starts_with(page)) return 2;
  }
  return definition.source.starts_with("json") ? 5 : 4;
}

}  // namespace

Result<std::vector<Definition>> all_definitions() {
  std::vector<Definition> all = definitions_of_pages();
  add_flags(&all);
  TRY_TO(add_topics(&all));
  return all;
}

std::vector<Definition> senses_of(const std::vector<Definition>& all, const std::string& word) {
  const std::string bare = bare_name(word);
  const std::vector<std::string> spellings{bare, without_article(bare), without_degree(bare),
                                           bare.substr(0, bare.find(", ")), without_numbers(bare)};
  std::vector<Definition> found;
  for (const std::string& spelling : spellings) {
    found = definitions_of(all, spelling);
    if (!found.empty()) break;
  }
  const bool is_flag = word.starts_with("--");
  std::ranges::stable_sort(found, {}, [&](const Definition& d) { return rank_of(d, is_flag); });
  return found;
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
