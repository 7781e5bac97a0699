#include "planner/plan.h"

#include "planner/plan_search.h"

namespace plimsoll {

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::feasible:
      return "feasible";
    case Fate::infeasible:
      return "infeasible";
    case Fate::unclear:
      return "unclear";
    case Fate::dominated:
      return "dominated";
    case Fate::pruned:
      break;
  }
  return "pruned";
}

bool is_guess(const CandidateResult& result) {
  return result.model_error && result.model_error->regime == Regime::unknown;
}

Result<Plan> make_plan(const PlanRequest& request, const Deploy& deploy, const Execution& execution,
                       PlanJournal* journal, const WatchPlan& watch) {
  PlanSearch search(request, execution, journal);
  TRY_TO(search.search(deploy, watch));
  return search.finish(search.best());
}

}  // namespace plimsoll
