#include "report/forecast_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// Time to act before a line is crossed.
constexpr double kTriggerShare = 0.9;
constexpr std::size_t kMostNamed = 4;

// Of the limit; the part of an SLO that is closest to breaking.
double strain(const Slo& slo, const SloFigure& figure) {
  return figure.value_ms / to_ms(slo.limit);
}

const Slo* tightest(const ScenarioRow& row, const std::vector<Slo>& slos, double* value_ms) {
  if (!row.peak || row.peak->probe.slos.size() != slos.size()) return nullptr;
  const Slo* found = nullptr;
  double most = 0;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const SloFigure& figure = row.peak->probe.slos[i];
    if (found != nullptr && strain(slos[i], figure) <= most) continue;
    most = strain(slos[i], figure);
    *value_ms = figure.value_ms;
    found = &slos[i];
  }
  return found;
}

}  // namespace

std::string amount_text(double value) {
  if (!std::isfinite(value)) return "none";
  if (std::abs(value) >= 999'500'000) return three_digits(value / 1e9) + "G";
  if (std::abs(value) >= 999'500) return three_digits(value / 1e6) + "M";
  if (std::abs(value) >= 9'995) return three_digits(value / 1e3) + "k";
  return three_digits(value);
}

std::string share_text(double share) {
  return std::isfinite(share) ? percent(share) : std::string("none there");
}

std::string first_signal(const ScenarioRow& row, const std::vector<Slo>& slos) {
  if (!row.problem.empty()) return row.problem;
  if (row.peak && row.peak->probe.answer == Answer::fails) return row.peak->probe.reason;
  double value_ms = 0;
  if (const Slo* slo = tightest(row, slos, &value_ms)) {
    return fmt::format("{} at {} of {} ms", name_of(*slo), three_digits(value_ms),
                       three_digits(to_ms(slo->limit)));
  }
  if (!row.binding) return "nothing is known to degrade";
  return fmt::format("{} at {}", facts_of(*row.binding).title,
                     share_text(*at(row.demand, *row.binding) / *at(row.capacity, *row.binding)));
}

std::string guardrail(const ScenarioRow& row, const std::vector<Slo>& slos) {
  double value_ms = 0;
  if (const Slo* slo = tightest(row, slos, &value_ms)) return title_of(*slo);
  if (!row.binding) return "none";
  return fmt::format("{} below {}", facts_of(*row.binding).title,
                     amount_text(*at(row.capacity, *row.binding)));
}

std::string rollback_trigger(const ScenarioRow& row) {
  if (!row.binding) return "none: nothing has a capacity";
  const double line = *at(row.capacity, *row.binding);
  return fmt::format("{} above {}", facts_of(*row.binding).title,
                     amount_text(kTriggerShare * line));
}

std::string moment_text(const RunwaySheet& sheet, double time_s) {
  if (!sheet.dated) return three_digits(time_s) + " s";
  constexpr double kDaySeconds = 86'400;
  constexpr std::size_t kDate = 10;  // "2026-11-22"
  const std::string text = iso_time(time_s);
  return sheet.window_s < kDaySeconds ? text : text.substr(0, kDate);
}

std::string added_cost_text(const std::optional<double>& usd) {
  if (!usd) return "-";
  if (std::abs(*usd) < 1) return "0";
  return (*usd < 0 ? "-" : "+") + amount_text(std::abs(*usd));
}

std::string pressures_text(const std::vector<Pressure>& worse) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> parts;
  for (const Pressure& p : worse) {
    if (parts.size() == kShown) break;
    parts.push_back(
        fmt::format("{} {} -> {}", p.what, three_digits(p.before), three_digits(p.after)));
  }
  return parts.empty() ? "nothing" : join(parts, ", ");
}

std::string order_text(const RunwaySheet& sheet, const RunwayRow& row) {
  if (!row.runway.known) return "not known";
  if (!row.order.by_s) return "not needed";
  if (row.order.late) return "now; short before it stands: " + percent(row.order.chance_if_now);
  return moment_text(sheet, *row.order.by_s);
}

std::vector<std::string> runway_notes(const RunwaySheet& sheet) {
  std::vector<std::string> notes = sheet.notes;
  for (const RunwayRow& row : sheet.rows) {
    for (const std::string& note : row.outlook.notes) {
      if (std::ranges::count(notes, note) == 0) notes.push_back(note);
    }
  }
  return notes;
}

std::string titles_of(const std::vector<Resource>& resources) {
  std::vector<std::string> titles;
  for (const Resource resource : resources) {
    if (titles.size() == kMostNamed) {
      titles.push_back(fmt::format("{} more", resources.size() - kMostNamed));
      break;
    }
    titles.emplace_back(facts_of(resource).title);
  }
  return titles.empty() ? "nothing" : join(titles, ", ");
}

}  // namespace plimsoll
