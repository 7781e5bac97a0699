#include "planner/reserve.h"

#include <algorithm>
#include <optional>

#include "planner/answer_error.h"
#include "planner/estimate.h"

namespace plimsoll {
namespace {

ProbeJob job_of(const ReserveLoad& load, const OpenCandidate& open, std::int64_t replicas,
                const PlanTests& tests) {
  ProbeJob job = tests.job(open, load.rate_rps, replicas);
  if (job.effort.warmup_s <= 0)
    job.effort = effort_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                                  job.instances);
  job.step_factor = load.step_factor;
  if (load.step_factor != 1)
    job.effort = effort_with_longer_steps(job.effort, load.step_factor, job.system->slos);
  return job;
}

// Whether so many replicas hold all loads; none: there was no time left to test them.
Result<std::optional<bool>> hold_all(const std::vector<ReserveLoad>& loads,
                                     const OpenCandidate& open, std::int64_t replicas,
                                     PlanTests* tests) {
  for (const ReserveLoad& load : loads) {
    TRY(tested, tests->run({job_of(load, open, replicas, *tests)}));
    if (tested.empty()) return std::nullopt;
    if (tested.front().second.answer != Answer::holds) return false;
  }
  return true;
}

}  // namespace

ReserveLoad slow_steps_of(const PlanRequest& request, const ModelError& error) {
  return {*request.rate_rps, step_factors(error)[1]};
}

std::int64_t paid_replicas(const OpenCandidate& open) {
  return open.result->candidate.replicas + open.result->candidate.spare;
}

Result<std::int64_t> replicas_that_hold(const std::vector<ReserveLoad>& loads,
                                        const OpenCandidate& open, std::int64_t least,
                                        PlanTests* tests) {
  constexpr std::int64_t kFinest = 20;
  std::int64_t few = least - 1;
  std::int64_t enough = 0;
  for (std::int64_t n = least; enough == 0 && n <= kMostWithLongerSteps * paid_replicas(open);
       n += std::max<std::int64_t>(1, n / kFinest)) {
    TRY(hold, hold_all(loads, open, n, tests));
    if (!hold) return 0;
    (*hold ? enough : few) = n;
  }
  while (enough - few > 1) {
    const std::int64_t n = few + (enough - few) / 2;
    TRY(hold, hold_all(loads, open, n, tests));
    if (!hold) return enough;
    (*hold ? enough : few) = n;
  }
  return enough;
}

}  // namespace plimsoll
