// The lever that costs nothing, named where an order of GPUs is, or in its place.
#include <fmt/format.h>

#include "base/text.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

bool is_gain_uncertain(const LeverResult& lever) {
  return lever.more_interval && lever.more_interval->low <= 0;
}

// How surely a lever is enough for the forecast; empty where it is not, or where it is to cover the
// model's error and does not. With a history, what it is enough for by the risk of every order is a
// date; one that is hardly later than without the lever is no help.
std::string enough_text(const ForecastReport& r, const LeverResult& lever, bool covers_error) {
  constexpr double kWorthwhileS = 7 * kDayS;
  if (lever.line.factor < 1) return {};
  if (!r.runway) {
    if (least_handled(r, lever) >= 1) return "enough";
    if (covers_error) return {};
    return is_gain_uncertain(lever) ? "perhaps enough (its gain is uncertain)"
                                    : "enough as simulated, but not if real steps are as slow "
                                      "as the model's error allows";
  }
  if (!lever.runway.known) return {};
  const auto until = lever.runway.time_at(kAcceptedRisk);
  if (!until) return "enough";
  const auto now = r.runway->gpu_plan.runway.time_at(kAcceptedRisk);
  if (!now || *until - *now < kWorthwhileS) return {};
  return fmt::format("enough until {} ({}{})", moment_text(*r.runway, *until), confidence_text(),
                     is_gain_uncertain(lever) ? "; its gain is uncertain" : "");
}

// A change of the deployment that costs nothing and is more than luck.
bool is_free_change(const LeverResult& lever) {
  const bool is_change =
      lever.lever.kind == LeverKind::gains || lever.lever.kind == LeverKind::smaller_cache;
  const bool is_free = lever.usd_per_month && *lever.usd_per_month <= 0;
  return is_change && is_free && !lever.lever.is_other_gpu && lever.more > kToldApart;
}

}  // namespace

double least_handled(const ForecastReport& r, const LeverResult& lever) {
  if (lever.held_within) return lever.held_within->low;
  const auto& peak = r.headroom.forecast;
  return peak ? peak->judged_as(lever.line).low : lever.line.factor;
}

std::string best_free_lever_text(const ForecastReport& r) {
  const LeverResult* best = nullptr;
  for (const LeverResult& lever : r.levers) {
    if (is_free_change(lever) && (best == nullptr || lever.line.factor > best->line.factor))
      best = &lever;
  }
  if (best == nullptr) return {};
  return fmt::format("try {} first, which is free and handles {} of the forecast as simulated{}",
                     best->lever.name, percent(best->line.factor),
                     best->lever.changes_answers ? " (evaluate its answers)" : "");
}

std::string free_lever_text(const ForecastReport& r, bool covers_error) {
  const LeverResult* best = nullptr;
  std::string enough;
  for (const LeverResult& lever : r.levers) {
    if (!is_free_change(lever)) continue;
    if (best != nullptr && lever.line.factor <= best->line.factor) continue;
    if (std::string text = enough_text(r, lever, covers_error); !text.empty()) {
      best = &lever;
      enough = std::move(text);
    }
  }
  if (best == nullptr) return {};
  return fmt::format("try {}, which is free and {}{}", best->lever.name, enough,
                     best->lever.changes_answers ? "; evaluate its answers first" : "");
}

}  // namespace plimsoll
