#include "report/typed_word.h"

#include "base/text.h"

namespace plimsoll {

std::string typed_word(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return " " + word;
  const std::string value = word.substr(equals + 1);
  if (value == "false") return " " + word;
  return " " + word.substr(0, equals) + " " + shell_quoted(value);
}

}  // namespace plimsoll
