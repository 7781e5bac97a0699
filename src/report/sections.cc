#include "report/sections.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/table.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostRows = 10;

std::string percent_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "" : three_digits(100 * ratio_or_zero(part, whole));
}

// The groups with most requests, in their order.
std::vector<const TrafficGroup*> largest(const std::vector<TrafficGroup>& groups) {
  std::vector<const TrafficGroup*> shown;
  for (const TrafficGroup& g : groups) shown.push_back(&g);
  if (shown.size() <= kMostRows) return shown;
  std::ranges::stable_sort(shown, std::ranges::greater{}, &TrafficGroup::arrived);
  shown.resize(kMostRows);
  return shown;
}

std::string group_table(const std::string& title, const std::vector<TrafficGroup>& groups) {
  const std::vector<const TrafficGroup*> rows = largest(groups);
  Column name{title, {}, false};
  Column arrived{"arrived", {}};
  Column done{"completed %", {}};
  Column ttft{"TTFT ms", {}};
  Column tpot{"TPOT ms", {}};
  Column e2e{"E2E ms", {}};
  Column tokens{"tokens/s", {}};
  for (const TrafficGroup* g : rows) {
    name.cells.push_back(g->name);
    arrived.cells.push_back(grouped(g->arrived));
    done.cells.push_back(percent_of(g->completed, g->arrived));
    ttft.cells.push_back(three_digits(g->ttft.p99_ms));
    tpot.cells.push_back(three_digits(g->tpot.p99_ms));
    e2e.cells.push_back(three_digits(g->e2e.p99_ms));
    tokens.cells.push_back(three_digits(g->tokens_per_sec));
  }
  std::string text = table({name, arrived, done, ttft, tpot, e2e, tokens});
  if (rows.size() < groups.size()) {
    text += fmt::format("  and {} more (--json shows all)\n", groups.size() - rows.size());
  }
  return text + "\n";
}

std::string sessions_text(const SessionFigures& s) {
  std::string text = fmt::format(
      "{} with {} requests; TTFT p50 {} (p99 {}) in first rounds", grouped(s.sessions),
      grouped(s.rounds), ms_or_s(s.ttft_cold.p50_ms / 1000), ms_or_s(s.ttft_cold.p99_ms / 1000));
  if (s.warm_rounds > 0) {
    text += fmt::format(", {} (p99 {}) in later ones", ms_or_s(s.ttft_warm.p50_ms / 1000),
                        ms_or_s(s.ttft_warm.p99_ms / 1000));
  }
  if (s.timed_sessions > 0) {
    text += fmt::format("; a session lasts {} (p50; p99 {})", ms_or_s(s.duration.p50_ms / 1000),
                        ms_or_s(s.duration.p99_ms / 1000));
  }
  return text;
}

}  // namespace

std::string group_tables(const Summary& summary) {
  std::string text;
  if (summary.classes.size() > 1) text += group_table("p99 by class", summary.classes);
  if (summary.tenants.size() > 1) text += group_table("p99 by tenant", summary.tenants);
  return text;
}

std::string section_paragraphs(const Summary& summary, std::size_t indent, std::size_t width) {
  std::string text;
  const auto add = [&](const std::string& label, const std::string& words) {
    if (!words.empty()) text += paragraph("  " + label, words, indent, width);
  };
  if (summary.sessions.sessions > 0) add("sessions", sessions_text(summary.sessions));
  add("warm-up", summary.warmup.reason);
  return text;
}

}  // namespace plimsoll
