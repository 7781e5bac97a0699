#include "report/form/typed_word.h"

#include "base/quoting.h"

namespace plimsoll {

std::string typed_word(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return " " + word;
  const std::string value = word.substr(equals + 1);
  const char* between = value == "false" || value.starts_with("--") ? "=" : " ";
  return " " + word.substr(0, equals) + between + shell_quoted(value);
}

}  // namespace plimsoll
