#include "report/run/sections.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

struct Part {
  std::string_view name;
  double share;
  std::string_view block;
  std::string_view ascii;
  bool always;  // named even when it is next to nothing
};

// In the order of a request's life.
std::vector<Part> parts_of(const Bottleneck& b) {
  return {{"gateway", b.gateway_share, "·", "-", false},
          {"queue", b.queue_share, "░", ".", true},
          {"prefill", b.prefill_share, "▒", "=", true},
          {"stall", b.prefill_stall_share, "▓", "+", false},
          {"decode", b.decode_share, "█", "#", true},
          {"preemption", b.preemption_share, "×", "x", false}};
}

std::string time_bar(const std::vector<Part>& parts, bool utf8, std::size_t cells) {
  std::string bar;
  double until = 0;
  std::size_t drawn = 0;
  for (const Part& part : parts) {
    until += part.share;
    const auto end = static_cast<std::size_t>(std::lround(static_cast<double>(cells) * until));
    for (; drawn < end; ++drawn) bar += utf8 ? part.block : part.ascii;
  }
  return bar;
}

std::string shares_text(const std::vector<Part>& parts) {
  constexpr double kWorthNaming = 0.005;
  std::vector<std::string> named;
  for (const Part& part : parts) {
    if (!part.always && part.share < kWorthNaming) continue;
    named.push_back(fmt::format("{} {:.0f} %", part.name, 100 * part.share));
  }
  return join(named, " | ");
}

// Bar and shares; empty if there is no room for a bar of at least `shortest` cells.
std::string bar_line(const std::vector<Part>& parts, bool utf8, std::size_t shortest,
                     std::size_t room) {
  constexpr std::size_t kLongestBar = 24;
  const std::string shares = shares_text(parts);
  const std::size_t taken = 3 + shares.size();
  if (room < taken + shortest) return {};
  return time_bar(parts, utf8, std::min(kLongestBar, room - taken)) + "   " + shares;
}

}  // namespace

std::string why_text(const Bottleneck& b, bool utf8, std::size_t indent, std::size_t width) {
  std::string out = fmt::format("  {:<{}}{}", "bound by", indent - 2, name_of(b.resource));
  const std::vector<Part> parts = parts_of(b);
  const bool any =
      std::any_of(parts.begin(), parts.end(), [](const Part& p) { return p.share > 0; });
  if (any) {
    const std::string beside = bar_line(parts, utf8, 12, width - std::min(width, out.size() + 3));
    const std::string below = bar_line(parts, utf8, 4, width - indent);
    if (!beside.empty()) {
      out += "   " + beside;
    } else if (!below.empty()) {
      out += "\n" + std::string(indent, ' ') + below;
    } else {
      out += "\n" + paragraph("", shares_text(parts), indent, width);
      out.pop_back();
    }
  }
  out += "\n" + paragraph("", reason_text(b), indent, width);
  const std::string lever = lever_text(b);
  if (!lever.empty()) out += paragraph("  lever", lever, indent, width);
  return out;
}

}  // namespace plimsoll
