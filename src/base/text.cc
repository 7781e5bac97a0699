#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/lists.h"

namespace plimsoll {
namespace {

// Levenshtein distance with transpositions of neighbours counted as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Whether all words of `wanted` are words of the text, in their order; where its name, behind the
// owner's, begins with the first of them if it `leads`.
bool has_words(std::string_view wanted, std::string_view text, bool leads) {
  std::size_t from = leads ? text.rfind('/') + 1 : 0;
  for (std::size_t begin = 0; begin < wanted.size();) {
    const std::size_t end = std::min(wanted.find('-', begin), wanted.size());
    const std::string_view word = wanted.substr(begin, end - begin);
    std::size_t at = text.find(word, from);
    while (at != std::string_view::npos && at > 0 && is_word(text[at - 1]))
      at = text.find(word, at + 1);
    if (at == std::string_view::npos || (leads && begin == 0 && at != from)) return false;
    from = at + word.size();
    begin = end + 1;
  }
  return true;
}

// Parts of a name are near it: "llama-3.1-8b" and "llama-8b" of
// "meta-llama/llama-3.1-8b-instruct", more so where the name begins with them and where words begin
// ("llama-3" is no part of "codellama-34b" that anybody means).
std::size_t distance_as_part(std::string_view wanted, std::string_view candidate) {
  constexpr std::size_t kFewest = 4;
  constexpr auto kFar = std::numeric_limits<std::size_t>::max();
  if (wanted.size() < kFewest) return kFar;
  if (has_words(wanted, candidate, true)) return 1;
  if (has_words(wanted, candidate, false)) return 2;
  return candidate.find(wanted) == std::string_view::npos ? kFar : 3;
}

// Commas between groups of three digits; the text is an integer.
std::string with_commas(std::string digits) {
  const std::ptrdiff_t sign = digits.starts_with('-') ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > sign; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& candidates,
                                       std::size_t most) {
  constexpr std::size_t kLongest = 200;  // the table is quadratic
  if (name.size() > kLongest) return {};
  const std::string wanted = to_lower(name);
  // Two letters make another name of three.
  const std::size_t fewest = wanted.size() < 4 ? 1U : 2U;
  const std::size_t farthest = std::max(fewest, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::string lower = to_lower(candidate);
    const std::size_t as_part = distance_as_part(wanted, lower);
    const std::size_t distance = std::min(edit_distance(wanted, lower), as_part);
    // Of two that are equally near, the one that begins like the name is rather meant.
    const bool begins_alike = lower.substr(0, 1) == wanted.substr(0, 1);
    if (distance <= farthest || distance == as_part)
      near.emplace_back(2 * distance + (begins_alike ? 0 : 1), candidate);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) {
    if (names.size() < most) add_once(&names, std::move(candidate));
  }
  return names;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> names = nearest_names(name, candidates, 1);
  return names.empty() ? std::string() : names.front();
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string best = nearest_name(name, candidates);
  if (!best.empty()) return "did you mean \"" + best + "\"?";
  std::vector<std::string> named = candidates;
  std::erase(named, "");  // where a name may be left out
  if (named.empty()) return {};
  return "expected one of: " + join(named, ", ");
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string shortest(double value) {
  const double size = std::fabs(value);
  const bool readable = size >= 1e-6 && size < 1e9;  // all digits of others are too many
  char buffer[40];
  const auto end =
      readable ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
               : std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

std::string plain(double value) {
  const std::string text = shortest(value);
  const std::size_t whole = text.find_first_not_of("-0123456789");
  if (whole == std::string::npos) return with_commas(text);
  return text[whole] == '.' ? with_commas(text.substr(0, whole)) + text.substr(whole) : text;
}

std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (!(size >= 0.0005)) return "0";
  // Bounds a little below the powers of ten: what rounds up to one has one digit less after the
  // point.
  int decimals = 5;
  for (double bound = 0.009995; decimals > 0 && size >= bound; bound *= 10) --decimals;
  double unit = 1;
  while (size / unit >= 999.5) unit *= 10;
  char buffer[400];  // holds the largest double
  const auto end = std::to_chars(buffer, buffer + sizeof buffer,
                                 unit > 1 ? std::round(value / unit) * unit : value,
                                 std::chars_format::fixed, decimals);
  const std::string out(buffer, end.ptr);
  return unit > 1 ? with_commas(out) : out;
}

std::string ms_or_s(double seconds) {
  constexpr double kShownAsOneSecond = 0.9995;
  return seconds < kShownAsOneSecond ? three_digits(1000 * seconds) + " ms"
                                     : three_digits(seconds) + " s";
}

std::string percent(double share) { return three_digits(100 * share) + " %"; }

std::string grouped(std::int64_t count) { return with_commas(std::to_string(count)); }

std::string counted(std::int64_t count, const std::string& noun) {
  return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

bool parse_int(std::string_view text, long long* value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool parse_double(std::string_view text, double* value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() &&
         std::isfinite(*value);
}

}  // namespace plimsoll
