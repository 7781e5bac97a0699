#include "report/run/terminal.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/load_charts.h"
#include "report/answer/reasons.h"
#include "report/form/page.h"

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
          {"wait for decode", b.decode_wait_share + b.decode_queue_share, "▚", ":", false},
          {"transfer", b.transfer_share, "▞", "/", false},
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

void add_why(const Summary& s, TextReport* out) {
  const Bottleneck& b = s.bottleneck;
  out->figures([&] { return section("Where the time of requests goes", time_figure(b)); });
  const std::vector<Part> parts = parts_of(b);
  std::string held(name_of(b.resource));
  std::string below;
  std::string wrapped;  // where there is no room for a bar
  if (!out->style().markup &&
      std::any_of(parts.begin(), parts.end(), [](const Part& p) { return p.share > 0; })) {
    const std::size_t room = out->style().text_columns() - TextReport::kIndent;
    const bool utf8 = out->style().utf8;
    const std::string beside = bar_line(parts, utf8, 12, room - std::min(room, held.size() + 3));
    if (!beside.empty()) {
      held += "   " + beside;
    } else {
      below = bar_line(parts, utf8, 4, room);
      if (below.empty()) wrapped = shares_text(parts);
    }
  }
  out->drawing("bound by", held);
  if (!below.empty()) out->drawing("", below);
  if (!wrapped.empty()) out->line("", wrapped);
  out->line("", reason_text(b));
  // That a run is too short is said, with what would be long enough.
  const bool is_said =
      b.lever.cause == Remedy::longer_run || b.lever.cause == Remedy::any_longer_run;
  if (is_said) return;
  // What is said of the simulation alone does not cover its error.
  const bool fails_slow = s.model_band && s.model_band->slow == SteadyVerdict::overloaded;
  out->line("lever",
            lever_text(b) +
                (fails_slow && needs_nothing(b)
                     ? "; if real steps are as slow as the model's error allows: more instances"
                     : ""));
}

}  // namespace plimsoll
