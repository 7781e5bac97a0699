// The number at which a scenario is gone back on, and the limit that it strains most. Called by
// forecast/headroom/headroom.h for each row, and by reports for their words.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "forecast/demand/route.h"
#include "forecast/headroom/sheet.h"
#include "planner/slo.h"

namespace plimsoll {

/// The limit whose figure in the scenario's peak is nearest to it, or farthest beyond it. Null
/// where none was simulated.
const Slo* tightest_limit(const ScenarioRow& row, const std::vector<Slo>& slos, double* value_ms);

/// The key of a trigger that is the size of a cohort.
inline constexpr std::string_view kCohortShare = "cohort_share";

/// The facts by which a scenario is told apart from what it happens to.
struct TriggerFacts {
  const std::vector<Flow>& before;
  const std::vector<Flow>& now;
  std::optional<double> line_before = {};  ///< of what is pressed
  bool same_deployment = true;             ///< and the same capacities
  /// For a cohort of which no demand is held: as a share of all requests, how large it may be; 0 of
  /// one that no instance can serve.
  std::optional<double> cohort_held = {};
  std::optional<double> demand_before = {};  ///< of what is pressed
  std::optional<double> used_before = {};    ///< likewise
};

/// Of the prompts that come to the deployment, the share that its cache holds.
double cached_share(const std::vector<Flow>& flows);

/// What the requests themselves move that the trigger is set on: what is pressed, but sooner than
/// the number of GPUs that would do, or their bill, the load that grows most. None without either.
std::optional<Resource> watched_of(const ScenarioRow& row, const std::vector<Flow>& now);

/// The value of the cache hit rate, where the scenario lowers nothing else: where prompts reach the
/// line that was there before it. Else of what is pressed: nine tenths of its line, or of what
/// comes with the largest load of that mix that is held, whichever is less (of prompts and answers
/// never more than of the line before the scenario, which they reach first as they grow longer);
/// all of it where so much is used without the scenario. Where none of what comes is held, of the
/// cohort that breaks a limit, else of the limit. `pressed`: watched_of(); none where it has no
/// capacity.
std::optional<Trigger> trigger_of(const ScenarioRow& row, Resource pressed,
                                  const TriggerFacts& facts, const std::vector<Slo>& slos);

}  // namespace plimsoll
