#include "cli/typed_flags.h"

#include <set>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/field_text.h"

namespace plimsoll {
namespace {

bool is_any(const Flag&) { return true; }

}  // namespace

std::vector<AskedFlag> asked_flags(const Options& options,
                                   const std::function<bool(const Flag&)>& wanted) {
  std::vector<AskedFlag> asked;
  std::set<std::string_view> taken;  // a flag has a row for each kind of verb that takes it
  for (const Flag& flag : flags()) {
    if (flag.value.origin(options) != Origin::asked || !wanted(flag)) continue;
    if (!taken.insert(flag.name).second) continue;
    for (std::string& text : flag.value.texts(options)) asked.push_back({&flag, std::move(text)});
  }
  return asked;
}

GivenFlags flags_of(const Options& options) {
  GivenFlags given;
  for (AskedFlag& asked : asked_flags(options, is_any)) {
    given.emplace(asked.flag->name, std::move(asked.text));
  }
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
  return mapped(asked_flags(options, wanted),
                [](const AskedFlag& asked) { return flag_word(*asked.flag, asked.text); });
}

ConfigValue value_of_flag(const Flag& flag, const std::string& text) {
  if (flag.value.is_switch) return text == "true";
  long long whole = 0;
  double number = 0;
  if (parse_int(text, &whole)) return std::int64_t{whole};
  if (parse_double(text, &number)) return number;
  return text;
}

std::string typed_flags(const Options& options, const std::function<bool(const Flag&)>& wanted) {
  std::string text;
  for (const std::string& word : flag_words(options, wanted)) text += typed_word(word);
  return text;
}

}  // namespace plimsoll
