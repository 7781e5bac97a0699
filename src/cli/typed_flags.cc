#include "cli/typed_flags.h"

#include <set>

#include "report/form/field_text.h"

namespace plimsoll {
namespace {

// Each flag that was asked for, once: it has a row for each kind of verb that takes it.
void for_each_asked(const Options& options, const std::function<bool(const Flag&)>& wanted,
                    const std::function<void(const Flag&, const std::string& text)>& take) {
  std::set<std::string_view> taken;
  for (const Flag& flag : flags()) {
    if (flag.value.origin(options) != Origin::asked || !wanted(flag)) continue;
    if (!taken.insert(flag.name).second) continue;
    for (const std::string& text : flag.value.texts(options)) take(flag, text);
  }
}

bool is_any(const Flag&) { return true; }

}  // namespace

GivenFlags flags_of(const Options& options) {
  GivenFlags given;
  for_each_asked(options, is_any, [&](const Flag& flag, const std::string& text) {
    given.emplace(flag.name, text);
  });
  return given;
}

bool is_given(const Options& options, std::string_view flag) {
  return flags_of(options).contains(flag);
}

std::string flag_word(const Flag& flag, const std::string& given) {
  const std::string name(flag.name);
  return flag.value.is_switch && given == "true" ? name : name + "=" + given;
}

std::vector<std::string> flag_words(const Options& options,
                                    const std::function<bool(const Flag&)>& wanted) {
  std::vector<std::string> words;
  for_each_asked(options, wanted, [&](const Flag& flag, const std::string& text) {
    words.push_back(flag_word(flag, text));
  });
  return words;
}

std::string typed_flags(const Options& options, const std::function<bool(const Flag&)>& wanted) {
  std::string text;
  for (const std::string& word : flag_words(options, wanted)) text += typed_word(word);
  return text;
}

}  // namespace plimsoll
