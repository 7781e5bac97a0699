#include "report/form/field_text.h"

#include "base/quoting.h"

namespace plimsoll {

void append_decimal(std::int64_t value, int places, fmt::memory_buffer* out) {
  for (; places > 0 && value % 10 == 0; --places) value /= 10;
  char text[32];
  char* const end = text + sizeof text;
  char* begin = end;
  const auto put_digit = [&] {
    *--begin = static_cast<char>('0' + value % 10);
    value /= 10;
  };
  if (places > 0) {
    for (; places > 0; --places) put_digit();
    *--begin = '.';
  }
  do put_digit();
  while (value > 0);
  append_text({begin, static_cast<std::size_t>(end - begin)}, out);
}

std::string typed_word(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return " " + word;
  const std::string value = word.substr(equals + 1);
  const char* between = value == "false" || value.starts_with("--") ? "=" : " ";
  return " " + word.substr(0, equals) + between + shell_quoted(value);
}

}  // namespace plimsoll
