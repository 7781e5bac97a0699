#include "planner/slow_steps.h"

#include <algorithm>
#include <optional>

#include "planner/answer_error.h"
#include "planner/estimate.h"

namespace plimsoll {
namespace {

// Whether so many replicas hold the target rate with steps as long as the model's error allows;
// none: there was no time left to test them.
Result<std::optional<bool>> hold_with_slow_steps(const PlanRequest& request,
                                                 const OpenCandidate& open, std::int64_t replicas,
                                                 PlanTests* tests) {
  const double factor = step_factors(*open.result->model_error)[1];
  ProbeJob job = tests->job(open, *request.rate_rps, replicas);
  if (job.effort.warmup_s <= 0)
    job.effort = effort_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                                  job.instances);
  job.step_factor = factor;
  job.effort = effort_with_longer_steps(job.effort, factor, job.system->slos);
  TRY(tested, tests->run({job}));
  if (tested.empty()) return std::nullopt;
  return tested.front().second.answer == Answer::holds;
}

}  // namespace

std::int64_t paid_replicas(const OpenCandidate& open) {
  return open.result->candidate.replicas + open.result->candidate.spare;
}

Result<std::int64_t> replicas_with_slow_steps(const PlanRequest& request, const OpenCandidate& open,
                                              std::int64_t least, PlanTests* tests) {
  if (!open.result->model_error || !request.rate_rps || !request.varies_model) return 0;
  constexpr std::int64_t kFinest = 20;
  std::int64_t few = least - 1;
  std::int64_t enough = 0;
  for (std::int64_t n = least; enough == 0 && n <= kMostWithLongerSteps * paid_replicas(open);
       n += std::max<std::int64_t>(1, n / kFinest)) {
    TRY(hold, hold_with_slow_steps(request, open, n, tests));
    if (!hold) return 0;
    (*hold ? enough : few) = n;
  }
  while (enough - few > 1) {
    const std::int64_t n = few + (enough - few) / 2;
    TRY(hold, hold_with_slow_steps(request, open, n, tests));
    if (!hold) return enough;
    (*hold ? enough : few) = n;
  }
  return enough;
}

}  // namespace plimsoll
