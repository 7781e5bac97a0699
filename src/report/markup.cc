#include "report/markup.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

namespace plimsoll {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string escaped_utf8(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        const bool allowed = byte >= ' ' || c == '\n' || c == '\t';
        out += allowed ? std::string_view(&c, 1) : kReplacement;
      }
    }
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t bad = find_invalid_utf8(text);
    out += escaped_utf8(text.substr(0, bad));
    if (bad == std::string_view::npos) return out;
    out += kReplacement;
    text.remove_prefix(bad + 1);
  }
}

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{}{}{}>{}</{}>", name, attributes.empty() ? "" : " ", attributes, content,
                     name);
}

std::string figure(std::string_view key, double value, std::string_view shown) {
  return fmt::format("<data id=\"{}\" value=\"{}\">{}</data>", escaped(key), shortest(value),
                     escaped(shown));
}

}  // namespace plimsoll
