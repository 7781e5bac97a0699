// What a migration comes to, in words: how much of the forecast the other deployment handles, what
// it costs while both stand and afterwards, and what is known of its answers.
#include <algorithm>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"
#include "catalog/price.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

constexpr double kDaysOfMonth = kHoursOfMonth / 24;
constexpr std::size_t kDateLength = 10;  // "2026-11-22"

// What a fleet has to be for all of the forecast, and what that costs a month.
struct Needed {
  double gpus = 0;
  std::optional<double> usd_per_month;
};

// Today's by the sheet; none where no number of them handles it.
std::optional<Needed> needed_today(const ForecastReport& r) {
  const auto row = std::ranges::find(r.headroom.rows, Resource::gpus, &SheetRow::resource);
  if (row == r.headroom.rows.end() || !row->forecast_p95) return std::nullopt;
  if (r.usd_per_month <= 0) return Needed{*row->forecast_p95, std::nullopt};
  return Needed{*row->forecast_p95, r.usd_per_month * *row->forecast_p95 / r.gpus};
}

// Of all of it, what as many as that handle where their model errs to their harm.
double least_held(const LeverResult& lever) {
  return lever.held_within ? lever.held_within->low * *lever.gpus_needed / lever.gpus : 1;
}

// The other fleet is paid for as well until the ramp is over.
std::string fleet_text(const ForecastReport& r, const Migration& migration,
                       const LeverResult& lever) {
  if (!lever.gpus_needed) return "; no number of its instances handles all of it";
  const std::optional<Needed> today = needed_today(r);
  std::string text = fmt::format("; for all of it, {:.0f} GPUs", *lever.gpus_needed);
  if (const double low = least_held(lever); low < 1)
    text += fmt::format(" (only {} of it at the slow end of the model's error)", percent(low));
  const bool is_as_today = today && today->gpus == *lever.gpus_needed;
  text += !today        ? " where no number does today"
          : is_as_today ? " as today"
                        : fmt::format(" instead of {:.0f}", today->gpus);
  const auto& usd = lever.usd_for_needed;
  if (!usd) return text;
  text += fmt::format(", ${}", amount_text(*usd));
  if (today && today->usd_per_month && amount_text(*today->usd_per_month) != amount_text(*usd))
    text += fmt::format(" instead of ${}", amount_text(*today->usd_per_month));
  text += " a month";
  if (migration.ramp_days <= 0) return text;
  return text + fmt::format("; while both stand, for {} days, ${} more", plain(migration.ramp_days),
                            amount_text(*usd * migration.ramp_days / kDaysOfMonth));
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
  return fmt::format("; the chance that {} before it begins is {}", run_out_text(row.resource),
                     percent(chance(row)));
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
    text += fleet_text(r, migration, *lever);
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
