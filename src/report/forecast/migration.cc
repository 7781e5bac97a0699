// What a migration comes to, in words: how much of the forecast the other deployment handles, what
// it costs while both stand and afterwards, and what is known of its answers.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

constexpr double kDaysOfMonth = 730.0 / 24;
constexpr std::size_t kDateLength = 10;  // "2026-11-22"

// The other fleet is paid for as well until the ramp is over.
std::string money_text(const Migration& migration, const LeverResult& lever, double gpus_now,
                       double usd_now) {
  const double usd_then = usd_now + *lever.usd_per_month;
  std::string text = fmt::format("{:.0f} instead of {:.0f} GPUs, ${} instead of ${} a month",
                                 lever.gpus, gpus_now, amount_text(usd_then), amount_text(usd_now));
  if (migration.ramp_days <= 0) return text;
  return text + fmt::format("; while both stand, for {} days, ${} more",
                            three_digits(migration.ramp_days),
                            amount_text(usd_then * migration.ramp_days / kDaysOfMonth));
}

// Until the other fleet begins to stand, today's has to do.
std::string crossed_before_text(const ForecastReport& r, const Migration& migration) {
  if (!r.runway || !migration.from_s || r.runway->rows.empty()) return {};
  const auto chance = [&](const RunwayRow& row) {
    return row.runway.known ? row.runway.chance_before(*migration.from_s) : 0.0;
  };
  const RunwayRow& row = *std::ranges::max_element(r.runway->rows, {}, chance);
  constexpr double kWorthTelling = 0.01;
  if (chance(row) < kWorthTelling) return {};
  return fmt::format("; the chance that {} run out before it begins is {}",
                     facts_of(row.resource).title, percent(chance(row)));
}

}  // namespace

std::vector<std::string> migration_sentences(const ForecastReport& r) {
  std::vector<std::string> lines;
  for (const Migration& migration : r.request.migrations) {
    const auto lever = std::ranges::find_if(r.levers, [&](const LeverResult& each) {
      return each.lever.kind == LeverKind::migration && each.lever.name == migration.name;
    });
    if (lever == r.levers.end()) continue;
    std::string text = migration.name;
    if (migration.from_s) text += " from " + iso_time(*migration.from_s).substr(0, kDateLength);
    text += fmt::format(": handles {} of the forecast, {}", percent(lever->line.factor),
                        more_text(*lever));
    if (lever->usd_per_month) text += "; " + money_text(migration, *lever, r.gpus, r.usd_per_month);
    text += crossed_before_text(r, migration);
    if (!migration.quality.empty()) {
      text += "; answers: " + migration.quality;
    } else if (lever->lever.changes_answers) {
      text += "; answers may change: evaluate them first";
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace plimsoll
