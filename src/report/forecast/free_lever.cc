// The lever that costs nothing, named where an order of GPUs is, or in its place.
#include <fmt/format.h>

#include "base/text.h"
#include "forecast/answer/choices.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

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
