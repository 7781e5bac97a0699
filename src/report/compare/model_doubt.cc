// What a verdict says against variants: that the error of the step times is larger than what
// separates them, that they miss their limits, or that their runs are too short.
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/compare/comparison.h"

namespace plimsoll {

std::string miss_of(const ComparedVariant& variant) {
  return fmt::format(" {} misses its limits: {} of the requests meet the one missed most.",
                     variant.name, percent(variant.least_kept));
}

std::string too_long_of(const ComparedVariant& variant) {
  return fmt::format(" {} serves fewer: {} of the requests are too long for it.", variant.name,
                     percent(variant.too_long_share));
}

std::string too_short_to_tell(const Comparison& comparison) {
  const auto is_short = [&](const ComparedVariant& variant) {
    return 2 * variant.verdicts.too_short > comparison.seeds;
  };
  if (is_short(comparison.variants[*comparison.best])) return {};
  std::vector<std::string> names;
  for (const ComparedVariant& variant : comparison.variants) {
    if (is_short(variant)) names.push_back(variant.name);
  }
  if (names.empty()) return {};
  return fmt::format(" Most runs of {} are too short to say whether {} this load.", in_words(names),
                     names.size() == 1 ? "it holds" : "they hold");
}

std::string doubt_of_model(const Comparison& comparison, const ComparisonFacts& facts,
                           const std::vector<Difference>& rivals) {
  const ComparedFigure& leading = compared_figure(comparison.leading);
  if (!leading.figure.is_latency() || facts.variants.size() != comparison.variants.size())
    return {};
  const auto mean = [&](std::size_t variant) {
    return comparison.variants[variant].figures[comparison.leading]->mean.mean;
  };
  const std::size_t best = *comparison.best;
  const VariantFacts& of_best = facts.variants[best];
  for (const Difference& d : rivals) {
    const VariantFacts& other = facts.variants[d.variant];
    if (!of_best.model_error || !other.model_error || of_best.steps_of == other.steps_of) continue;
    // What is wrong beside steps, of first tokens, is wrong of both.
    const double own = of_best.model_error->step;
    const double others = other.model_error->step;
    const double apart = std::fabs(std::log(mean(best) / mean(d.variant)));
    if (d.paired.equal || !(apart < std::hypot(own, others))) continue;
    return fmt::format(
        " The model's error may be larger than that: the step times of {} are known to within {}, "
        "those of {} to within {}.",
        comparison.variants[best].name, percent(std::exp(own) - 1),
        comparison.variants[d.variant].name, percent(std::exp(others) - 1));
  }
  return {};
}

}  // namespace plimsoll
