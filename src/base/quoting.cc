#include "base/quoting.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/printable.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kWordCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";

// In double quotes, as JSON and YAML read it.
std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  const bool is_simple = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
  if (is_simple) return out.append(text) + '"';  // nearly all; rows of results are many
  while (!text.empty()) {
    const Character c = first_character(text);
    if (!c.is_utf8) {
      out += kReplacement;
    } else if (!c.is_printable) {
      out += fmt::format("\\u{:04x}", std::uint32_t{c.code});
    } else {
      if (c.code == '"' || c.code == '\\') out += '\\';
      out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return out + '"';
}

// Words that some reader of YAML takes for a truth value or for nothing.
bool is_special_in_yaml(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"true", "false", "yes", "no",  "on",
                                                   "off",  "y",     "n",   "null"};
  return contains(kWords, to_lower(text));
}

// A formula with any number of single quotes before it, so that none is lost on the way back.
bool looks_like_formula(std::string_view text) {
  const std::size_t start = text.find_first_not_of('\'');
  return start != std::string_view::npos &&
         std::string_view("=+-@").find(text[start]) != std::string_view::npos;
}

std::string_view entity_of(char32_t c) {
  if (c == '&') return "&amp;";
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  return c == '"' ? "&quot;" : "";
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kAlsoPlain = ":,=+@%";
  const bool plain = std::ranges::all_of(text, [&](char c) {
    return kWordCharacters.find(c) != std::string_view::npos ||
           kAlsoPlain.find(c) != std::string_view::npos;
  });
  if (plain && !text.empty()) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  std::optional<char> quote;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote.reset();
    } else if (c == '\\' && quote != '\'') {
      if (++i == line.size()) return std::nullopt;
      if (quote && line[i] != '"' && line[i] != '\\') words.back() += c;
      words.back() += line[i];
    } else {
      words.back() += c;
    }
  }
  if (quote) return std::nullopt;
  return words;
}

std::string commented(std::string_view text) { return "# " + visible(text) + "\n"; }

std::string yaml_text(std::string_view text) {
  const bool starts_with_letter = !text.empty() && kWordCharacters.find(text.front()) < 52;
  const bool plain = starts_with_letter && !is_special_in_yaml(text) &&
                     text.find_first_not_of(kWordCharacters) == std::string_view::npos;
  return plain ? std::string(text) : double_quoted(text);
}

std::string json_text(std::string_view text) { return double_quoted(text); }

std::string csv_text(std::string_view text) {
  double number = 0;
  const bool defused = looks_like_formula(text) && !parse_double(text, &number);
  if (!defused && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = defused ? "'" : "";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell.find_first_of(",\"\r\n") == std::string::npos ? cell : '"' + cell + '"';
}

std::string_view without_formula_quote(std::string_view cell) {
  const bool defused = cell.starts_with('\'') && looks_like_formula(cell);
  return defused ? cell.substr(1) : cell;
}

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::string_view entity = entity_of(c.code);
    if (c.is_printable || c.code == '\n' || c.code == '\t') {
      out += entity.empty() ? text.substr(0, c.length) : entity;
    } else {
      out += kReplacement;
    }
    text.remove_prefix(c.length);
  }
  return out;
}

}  // namespace plimsoll
