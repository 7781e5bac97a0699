#include "report/field_text.h"

#include <algorithm>

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

void append_json_text(std::string_view text, fmt::memory_buffer* out) {
  out->push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void append_csv_text(std::string_view text, fmt::memory_buffer* out) {
  const auto needs_quotes = [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; };
  if (std::none_of(text.begin(), text.end(), needs_quotes)) {
    append_text(text, out);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

}  // namespace plimsoll
