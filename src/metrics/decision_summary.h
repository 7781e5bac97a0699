// What the decisions of a run add up to (docs/explanation/routing.md). Filled while it runs, by the
// decision trace.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll {

/// Mean and greatest over routing decisions.
struct Extent {
  double mean = 0;
  double max = 0;
};

struct DecisionSummary {
  std::int64_t admitted = 0;
  std::int64_t rejected = 0;
  std::int64_t no_target = 0;         ///< no instance serves the model
  std::vector<std::int64_t> targets;  ///< requests routed, by instance

  // With --counterfactual-k above 0.
  std::int64_t counterfactual_k = 0;
  std::optional<Extent> regret;       ///< best score - score of the chosen one
  std::optional<Extent> excess_load;  ///< effective load of the chosen one - the least

  bool in_text = false;  ///< wanted in the report for people, too

  std::int64_t routed() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : targets) sum += n;
    return sum;
  }
  std::int64_t unique_targets() const {
    std::int64_t used = 0;
    for (const std::int64_t n : targets) used += n > 0 ? 1 : 0;
    return used;
  }
};

}  // namespace plimsoll
