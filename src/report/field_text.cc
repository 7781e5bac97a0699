#include "report/field_text.h"

#include <algorithm>

namespace plimsoll {

void append_decimal(std::int64_t value, int places, fmt::memory_buffer* out) {
  char text[32];
  char* const end = text + sizeof text;
  char* begin = end;
  for (int i = 0; i < places; ++i, value /= 10) {
    const auto digit = static_cast<char>(value % 10);
    if (begin != end || digit != 0) *--begin = static_cast<char>('0' + digit);
  }
  if (begin != end) *--begin = '.';
  do {
    *--begin = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  out->append(begin, end);
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
    out->append(text);
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
