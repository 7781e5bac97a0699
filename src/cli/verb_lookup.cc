// What is asked of the table of verbs.

#include "base/lists.h"
#include "base/text.h"
#include "cli/verbs.h"

namespace plimsoll {

std::string Verb::hint_for(std::string_view flag) const {
  return place_of == nullptr ? std::string() : place_of(flag);
}

bool Verb::has(FlagGroup group) const { return contains(groups, group); }

const Flag* Verb::flag(std::string_view name) const {
  return find_where(flags(),
                    [&](const Flag& flag) { return has(flag.group) && flag.is_called(name); });
}

const Verb* find_verb(std::string_view name) { return find_in(verbs(), name, &Verb::name); }

std::vector<std::string> usage_lines(const Verb& verb) {
  std::vector<std::string> lines;
  for (const std::string_view words : verb.usage) {
    lines.push_back("plimsoll " + std::string(verb.name));
    if (!words.empty()) lines.back() += " " + std::string(words);
  }
  return lines;
}

std::vector<std::string> verb_names() {
  return mapped(verbs(), [](const Verb& verb) { return std::string(verb.name); });
}

std::vector<const Verb*> members_of(const Verb& family) {
  const std::string start = std::string(family.name) + " ";
  std::vector<const Verb*> members;
  for (const Verb& verb : verbs()) {
    if (verb.name.starts_with(start)) members.push_back(&verb);
  }
  return members;
}

std::vector<const Verb*> first_verbs() {
  std::vector<const Verb*> firsts;
  for (const Verb& verb : verbs()) {
    if (verb.name.find(' ') == std::string_view::npos) firsts.push_back(&verb);
  }
  return firsts;
}

std::string hint_at_name(std::string_view name, const std::vector<std::string>& names,
                         std::string_view place) {
  const std::string near = nearest_name(name, names);
  return near.empty() ? std::string(place) : "did you mean \"" + near + "\"?";
}

}  // namespace plimsoll
