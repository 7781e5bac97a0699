#include "base/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace plimsoll {
namespace {

bool is_unprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// Of ASCII: nearly all that is ever shown.
bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

const char* kind_of(char32_t c) {
  if (c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029) return "a line end";
  if (c == '\t') return "a tab";
  return c <= 0x9F ? "a control character" : "a bidirectional mark";
}

// The length of a colour as reports write it, bold and none; 0: something else.
std::size_t colour_length(std::string_view text) {
  if (text.starts_with("\x1b[0m") || text.starts_with("\x1b[1m")) return 4;
  const bool bold = text.size() >= 7 && text.starts_with("\x1b[1;3") && text[6] == 'm';
  return bold && text[5] >= '1' && text[5] <= '3' ? 7 : 0;
}

// What of the text stays as it is, however it looks: in bytes.
using Kept = std::size_t (*)(std::string_view);

std::string shown(std::string_view text, Kept kept) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const auto special = std::ranges::find_if_not(text, is_plain);
    const auto plain = static_cast<std::size_t>(special - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const Character c = first_character(text);
    const std::size_t stays = c.is_printable ? c.length : kept(text);
    if (stays == 0) {
      const char* form = c.is_utf8 ? "\\u{:04x}" : "\\x{:02x}";
      out += fmt::format(fmt::runtime(form), std::uint32_t{c.code});
    }
    out += text.substr(0, stays);
    text.remove_prefix(std::max(stays, c.length));
  }
}

}  // namespace

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true, !is_unprintable(lead)};
  const std::size_t length = utf8_length(text);
  if (length == 0) return {lead, 1, false, false};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {code, length, true, !is_unprintable(code)};
}

std::string fault_of_name(std::string_view name) {
  while (!name.empty()) {
    const Character c = first_character(name);
    if (!c.is_utf8) return "is not UTF-8";
    if (!c.is_printable) {
      return fmt::format("holds {} (U+{:04X})", kind_of(c.code), std::uint32_t{c.code});
    }
    name.remove_prefix(c.length);
  }
  return {};
}

std::string visible(std::string_view text) {
  return shown(text, [](std::string_view) -> std::size_t { return 0; });
}

std::string visible_lines(std::string_view text) {
  return shown(text, [](std::string_view rest) -> std::size_t {
    return rest.front() == '\n' || rest.front() == '\t' ? 1 : colour_length(rest);
  });
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  // The second byte's range excludes overlong forms, surrogates and code points past U+10FFFF.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string_view without_bom(std::string_view text) {
  constexpr std::string_view kBom = "\xEF\xBB\xBF";
  return text.substr(0, kBom.size()) == kBom ? text.substr(kBom.size()) : text;
}

}  // namespace plimsoll
