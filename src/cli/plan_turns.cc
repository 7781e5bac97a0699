#include "cli/plan_turns.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "planner/plan_search.h"
#include "planner/turning_points.h"

namespace plimsoll {
namespace {

/// Plans for loads around the one that was asked about, each made once for all questions.
class PlansAround {
 public:
  /// `make` plans for so many times the load.
  explicit PlansAround(std::function<Result<Plan>(double factor)> make) : make_(std::move(make)) {}

  Result<Plan> at(double factor) {
    const auto found = plans_.find(factor);
    if (found != plans_.end()) return found->second;
    TRY(plan, make_(factor));
    return plans_.emplace(factor, std::move(plan)).first->second;
  }

 private:
  std::function<Result<Plan>(double factor)> make_;
  std::map<double, Plan> plans_;
};

// What is asked of the best beyond that is not asked here.
Result<Plan> plan_for(PlanRequest request, const Planned& planned, const Execution& execution) {
  request.measures_best = false;
  const auto deploy = [&](const Candidate& candidate) { return planned.deploy(candidate); };
  return make_plan(request, deploy, execution);
}

std::vector<DivisionKind> divisions_of(const PlanRequest& request) {
  std::vector<DivisionKind> asked;
  if (request.space.disaggregation.size() > 1) asked.push_back(DivisionKind::split);
  if (request.space.mixes_gpus) asked.push_back(DivisionKind::mix);
  return asked;
}

bool has_lengths(const Planned& planned) { return planned.common().traffic.is_drawn(); }

double mean_prompt(const Planned& planned) {
  return static_cast<double>(*planned.common().traffic.prompt.mean);
}

}  // namespace

Result<void> check_turning_points(const PlanRequest& request, const Planned& planned) {
  if (divisions_of(request).empty()) {
    return fail(ErrorKind::usage,
                "--turning-points asks where splitting prefill from decode, or mixing GPU types, "
                "begins to pay, and this plan has one way",
                "--disaggregation aggregated,split, or config_space: {mix_gpu_types: true} in a "
                "request");
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
  const auto look = [&](DivisionTurns turns, PlansAround plans) -> Result<void> {
    for (const DivisionKind division : divisions_of(request)) {
      if (!execution.keep_going()) return {};
      const auto ask = [&](double factor) -> Result<DivisionAnswer> {
        TRY(plan, plans.at(factor));
        return division_answer(division, request, plan);
      };
      turns.of = division;
      TRY_SET(turns.points, look_around(division_answer(division, request, report->plan), ask,
                                        execution.keep_going));
      report->turns.push_back(turns);
    }
    return {};
  };
  if (request.rate_rps) {
    TRY_TO(look({"rate_rps", "req/s", *request.rate_rps, {}},
                PlansAround([&](double factor) -> Result<Plan> {
                  PlanRequest other = request;
                  other.rate_rps = *request.rate_rps * factor;
                  return plan_for(std::move(other), planned, execution);
                })));
  }
  if (!has_lengths(planned)) return {};
  return look({"prompt_tokens", "prompt tokens", mean_prompt(planned), {}},
              PlansAround([&](double factor) -> Result<Plan> {
                TRY(other, planned.with_prompts(factor));
                return plan_for(request, other, execution);
              }));
}

}  // namespace plimsoll
