#include "cli/typed_flags.h"

#include <set>
#include <string_view>

#include "report/form/typed_word.h"

namespace plimsoll {

std::string flag_word(const Flag& flag, const std::string& given) {
  const std::string name(flag.name);
  return flag.value.is_switch && given == "true" ? name : name + "=" + given;
}

std::string typed_flags(const std::map<std::string, std::string, std::less<>>& given,
                        const std::function<bool(const Flag&)>& wanted) {
  std::string text;
  std::set<std::string_view> typed;  // a flag has a row for each kind of verb that takes it
  for (const Flag& flag : flags()) {
    const auto value = given.find(flag.name);
    if (value == given.end() || !wanted(flag) || !typed.insert(flag.name).second) continue;
    text += typed_word(flag_word(flag, value->second));
  }
  return text;
}

}  // namespace plimsoll
