// Numbers on a page keep their units: no line ends between "1.22" and "s".
#include <algorithm>
#include <cstddef>

#include "report/form/page.h"

namespace plimsoll {
namespace {

constexpr std::string_view kUnits[]{"%", "ms", "s", "req/s"};
constexpr std::string_view kNoBreakSpace = "\u00a0";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_with_unit(std::string_view text) {
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    if (!text.starts_with(unit)) return false;
    text.remove_prefix(unit.size());
    return text.empty() || !(is_letter(text.front()) || text.front() == '/');
  });
}

// How long the tag is that begins here, with what it holds where that is no prose.
std::size_t tag_length(std::string_view markup) {
  for (const std::string_view name : {"script", "pre", "svg", "time"}) {
    if (!markup.substr(1).starts_with(name)) continue;
    const std::string close = "</" + std::string(name) + ">";
    return std::min(markup.find(close), markup.size() - close.size()) + close.size();
  }
  return std::min(markup.find('>'), markup.size() - 1) + 1;
}

// Of "2026-12-21" or "2026-12-21T00:00Z" at the beginning of the text; 0: there is none.
std::size_t date_length(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() < kForm.size()) return 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == 'd' ? !is_digit(text[i]) : text[i] != '-') return 0;
  }
  std::size_t end = kForm.size();
  const auto is_of_time = [](char c) { return is_digit(c) || c == ':' || c == 'T' || c == 'Z'; };
  while (end < text.size() && is_of_time(text[end])) ++end;
  return end < text.size() && (is_letter(text[end]) || text[end] == '-') ? 0 : end;
}

enum class Within { nothing, number, word };

Within after(Within before, char c) {
  if (is_letter(c)) return Within::word;
  if (is_digit(c)) return before == Within::word ? Within::word : Within::number;
  return before == Within::number && (c == '.' || c == ',') ? Within::number : Within::nothing;
}

}  // namespace

std::string with_whole_quantities(std::string_view markup) {
  std::string out;
  out.reserve(markup.size());
  Within within = Within::nothing;
  while (!markup.empty()) {
    const char c = markup.front();
    const std::size_t date = within == Within::nothing ? date_length(markup) : 0;
    if (date > 0 && !out.ends_with('-')) {
      out += "<time>" + std::string(markup.substr(0, date)) + "</time>";
      within = Within::word;
      markup.remove_prefix(date);
      continue;
    }
    const std::size_t length = c == '<' ? tag_length(markup) : 1;
    if (c == ' ' && within == Within::number && begins_with_unit(markup.substr(1)))
      out += kNoBreakSpace;
    else
      out += markup.substr(0, length);
    within = after(within, c);
    markup.remove_prefix(length);
  }
  return out;
}

}  // namespace plimsoll
