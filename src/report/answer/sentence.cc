#include "report/answer/sentence.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

std::string in_words(char how, std::string_view words, double figure) {
  const std::int64_t whole = std::llround(figure);
  switch (how) {
    case 'n':
      return words.empty() ? grouped(whole) : counted(whole, std::string(words.substr(1)));
    case 'i':
      return std::to_string(whole);
    case '%':
      return percent(figure);
    case 's':
      return ms_or_s(figure);
    case 'd':
      return three_digits(figure);
    case '$':
      return fmt::format("${:.2f}", figure);
    case '?':
      return figure > 0 ? std::string(words) : "";
    default:
      return "";
  }
}

}  // namespace

std::string sentence(std::string_view form, const decltype(Because<int>::figures)& figures) {
  std::string text;
  for (std::size_t next = 0;; ++next) {
    const std::size_t open = form.find('{');
    text += form.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = form.find('}', open);
    text += in_words(form[open + 1], form.substr(open + 2, close - open - 2), figures.at(next));
    form.remove_prefix(close + 1);
  }
}

}  // namespace plimsoll
