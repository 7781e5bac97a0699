#include "base/duration_text.h"

#include <array>
#include <cstddef>

#include "base/text.h"

namespace plimsoll {
namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array kUnits{Unit{"ns", 1},  Unit{"us", 1e3}, Unit{"µs", 1e3},  Unit{"ms", 1e6},
                            Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};
constexpr double kLongestNs = 366.0 * 24 * 3600 * 1e9;

bool is_number_part(char c) { return (c >= '0' && c <= '9') || c == '.'; }

}  // namespace

bool parse_duration(std::string_view text, Duration* value) {
  double total_ns = 0;
  bool zero = true;
  if (text.empty()) return false;
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && is_number_part(text[digits])) ++digits;
    std::size_t end = digits;
    while (end < text.size() && !is_number_part(text[end])) ++end;
    const std::string_view name = text.substr(digits, end - digits);
    double number = 0;
    if (digits == 0 || !parse_double(text.substr(0, digits), &number)) return false;
    const Unit* unit = nullptr;
    for (const Unit& known : kUnits) {
      if (known.name == name) unit = &known;
    }
    if (unit == nullptr) return false;
    total_ns += number * unit->ns;
    zero = zero && number == 0;
    text.remove_prefix(end);
  }
  if (total_ns > kLongestNs) return false;
  const Duration rounded{static_cast<std::int64_t>(total_ns + 0.5)};
  if (rounded == Duration{} && !zero) return false;
  *value = rounded;
  return true;
}

std::string duration_text(Duration span) {
  std::string text = std::to_string(span.ns) + "ns";
  for (const Unit& unit : kUnits) {
    const auto ns = static_cast<std::int64_t>(unit.ns);
    if (span.ns % ns == 0 && span.ns != 0) {
      text = std::to_string(span.ns / ns) + std::string(unit.name);
    }
  }
  return text;
}

}  // namespace plimsoll
