// The levers of a forecast: what each of them gains, costs and makes worse.
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "forecast/answer/choices.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// "+12.5k" dollars a month; "-" if not known.
std::string added_cost_text(const std::optional<double>& usd) {
  if (!usd) return "-";
  if (std::abs(*usd) < 1) return "0";
  return (*usd < 0 ? "-" : "+") + amount_text(std::abs(*usd));
}

// "TPOT p99 ms 40.1 -> 52.0": the worst of what a lever makes worse, and whether answers change.
std::string pressures_text(const LeverResult& lever) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> parts;
  if (lever.lever.changes_answers) parts.emplace_back("answers may change");
  if (lever.lever.is_other_gpu) parts.emplace_back("measure it there first");
  for (const Pressure& p : lever.worse) {
    if (parts.size() == kShown) break;
    parts.push_back(
        fmt::format("{} {} -> {}", p.what, three_digits(p.before), three_digits(p.after)));
  }
  if (parts.empty() && lever.loses()) return "less is handled";
  return parts.empty() ? "nothing" : join(parts, ", ");
}

std::vector<Column> lever_columns(const ForecastReport& r) {
  std::vector<Column> columns = columns_of(
      {"<lever", "held", "gain", "GPUs", "$/month", "gain per $1k", "<worse at the peak"});
  add_row(&columns, {"as deployed", held_text(r.headroom.forecast), "",
                     cell_text(Resource::gpus, r.gpus), "", "", ""});
  for (const LeverResult& lever : r.levers) {
    add_row(&columns, {lever.lever.name, percent(lever.line.factor), more_text(lever),
                       cell_text(Resource::gpus, lever.gpus), added_cost_text(lever.usd_per_month),
                       gain_per_dollar_text(lever), pressures_text(lever)});
  }
  return columns;
}

// The lever that costs nothing, named where an order of GPUs is, or in its place.

std::string enough_text(const ForecastReport& r, const FreeLever& free) {
  switch (free.enough) {
    case Enough::perhaps:
      return "perhaps enough (its gain is uncertain)";
    case Enough::as_simulated:
      return "enough as simulated, but not if real steps are as slow as the model's error allows";
    case Enough::until:
      return fmt::format("enough until {} ({}{})", moment_text(*r.runway, free.until_s),
                         confidence_text(),
                         free.lever->is_uncertain() ? "; its gain is uncertain" : "");
    default:
      return "enough";
  }
}

}  // namespace

std::string more_text(const LeverResult& lever) {
  const auto points = [](double share) {
    return (share < 0 ? "" : "+") + three_digits(100 * share);
  };
  if (lever.changes_nothing()) return "within " + three_digits(100 * kToldApart) + " points";
  const auto& within = lever.more_interval;
  if (!within) return points(lever.more) + " points";
  const std::string low = points(within->low);
  const std::string high = points(within->high);
  if (low == high) return points(lever.more) + " points";
  return fmt::format("{} [{}, {}] points", points(lever.more), low, high);
}

std::string gain_per_dollar_text(const LeverResult& lever) {
  if (lever.lever.kind == LeverKind::turns_away) return "-";
  if (lever.gains_for_nothing()) return "free";
  if (lever.saves()) return "saves";
  const auto gain = lever.more_per_1k_usd();
  if (gain) return "+" + three_digits(100 * *gain) + " points";
  if (lever.gains()) return "-";
  return lever.more_interval && !lever.loses() ? "uncertain" : "no gain";
}

void add_levers(const ForecastReport& r, TextReport* out) {
  if (r.levers.empty()) return;
  out->begin_section("What would help");
  out->table(lever_columns(r));
}

std::string best_free_lever_text(const ForecastReport& r) {
  const LeverResult* best = best_free_lever(r);
  if (best == nullptr) return {};
  return fmt::format("try {} first, which is free and handles {} of the forecast as simulated{}",
                     best->lever.name, percent(best->line.factor),
                     best->lever.changes_answers ? " (evaluate its answers)" : "");
}

std::string free_lever_text(const ForecastReport& r, bool covers_error) {
  const FreeLever best = enough_for_free(r, covers_error);
  if (best.lever == nullptr) return {};
  return fmt::format("try {}, which is free and {}{}", best.lever->lever.name, enough_text(r, best),
                     best.lever->lever.changes_answers ? "; evaluate its answers first" : "");
}

}  // namespace plimsoll
