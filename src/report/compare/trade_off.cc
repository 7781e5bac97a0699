// What the best variant of a comparison pays for being best: figures that the next one has better.
#include <fmt/format.h>

#include "base/text.h"
#include "report/compare/comparison.h"

namespace plimsoll {

std::string trade_off(const Comparison& c, std::size_t behind) {
  constexpr double kMuch = 0.1;
  const bool from_best = *c.best == 0;
  if (!from_best && behind != 0) return {};  // differences are from the first
  const std::size_t differs = from_best ? behind : *c.best;
  std::vector<std::string> worse;
  for (const Difference& d : c.differences) {
    const ComparedFigure& f = compared_figure(d.figure);
    const bool is_shown =
        f.key == "ttft_p99_ms" || f.key == "itl_mean_ms" || f.key == "e2e_mean_ms";
    const double more = from_best ? -d.relative : d.relative;
    if (!is_shown || d.variant != differs || more < kMuch || !d.matters()) continue;
    worse.push_back(
        fmt::format("{} is {} {}", f.title, percent(more), from_best ? "lower" : "higher"));
  }
  if (worse.empty()) return {};
  return fmt::format(" But with {} {}.", c.variants[differs].name, in_words(worse));
}

}  // namespace plimsoll
