#include "cli/plan_turns.h"

#include <algorithm>
#include <utility>

#include "planner/plan_search.h"
#include "planner/turning_points.h"

namespace plimsoll {
namespace {

// What is asked of the best beyond that is not asked here.
Result<DivisionAnswer> answer_for(PlanRequest request, const Planned& planned,
                                  const Execution& execution) {
  request.measures_best = false;
  const auto deploy = [&](const Candidate& candidate) { return planned.deploy(candidate); };
  TRY(plan, make_plan(request, deploy, execution));
  return division_answer(request, plan);
}

bool has_lengths(const Planned& planned) { return planned.common().traffic.is_drawn(); }

double mean_prompt(const Planned& planned) {
  return static_cast<double>(*planned.common().traffic.prompt.mean);
}

}  // namespace

Result<void> check_turning_points(const PlanRequest& request, const Planned& planned) {
  if (request.space.disaggregation.size() < 2) {
    return fail(ErrorKind::usage,
                "--turning-points asks where splitting prefill from decode begins to pay, and this "
                "plan has one way",
                "give config_space: {disaggregation: [aggregated, split]} in a request");
  }
  if (request.rate_rps || has_lengths(planned)) return {};
  return fail(ErrorKind::usage,
              "--turning-points varies the rate and the lengths of prompts, and this plan has "
              "neither",
              "give a rate to serve, or lengths instead of a file");
}

Result<void> add_turning_points(const Planned& planned, const Execution& execution,
                                PlanReport* report) {
  const PlanRequest& request = report->request;
  const DivisionAnswer asked = division_answer(request, report->plan);
  const auto look = [&](DivisionTurns turns, const AskDivision& ask) -> Result<void> {
    if (!execution.keep_going()) return {};
    TRY_SET(turns.points, look_around(asked, ask, execution.keep_going));
    report->turns.push_back(std::move(turns));
    return {};
  };
  if (request.rate_rps) {
    TRY_TO(look({"rate_rps", "req/s", *request.rate_rps, {}},
                [&](double factor) -> Result<DivisionAnswer> {
                  PlanRequest other = request;
                  other.rate_rps = *request.rate_rps * factor;
                  return answer_for(std::move(other), planned, execution);
                }));
  }
  if (!has_lengths(planned)) return {};
  return look({"prompt_tokens", "prompt tokens", mean_prompt(planned), {}},
              [&](double factor) -> Result<DivisionAnswer> {
                TRY(other, planned.with_prompts(factor));
                return answer_for(request, other, execution);
              });
}

}  // namespace plimsoll
