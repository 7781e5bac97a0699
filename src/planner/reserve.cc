#include "planner/reserve.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "planner/answer_error.h"
#include "planner/headroom.h"
#include "planner/plan_choice.h"

namespace plimsoll {
namespace {

/// What has to be held, with all steps longer by a factor.
struct ReserveLoad {
  double rate_rps = 0;
  double step_factor = 1;
};

// Whether so many replicas hold all loads; none: there was no time left to test them.
Result<std::optional<bool>> hold_all(const std::vector<ReserveLoad>& loads,
                                     const OpenCandidate& open, std::int64_t replicas,
                                     PlanTests* tests) {
  for (const ReserveLoad& load : loads) {
    TRY(tested, tests->run({tests->settled_job(open, load.rate_rps, replicas, load.step_factor)}));
    if (tested.empty()) return std::nullopt;
    if (tested.front().second.answer != Answer::holds) return false;
  }
  return true;
}

// The target rate at the slow end of the model's error.
ReserveLoad slow_steps_of(const PlanRequest& request, const ModelError& error) {
  return {*request.rate_rps, step_factors(error)[1]};
}

std::int64_t most_replicas(const OpenCandidate& open) {
  return kMostWithLongerSteps * open.paid_replicas();
}

// Returns the fewest from `least` to `most`, spare ones included, that hold each of the loads; 0:
// none that were tested. Goes up by a twentieth, then back into the gap below the first that do.
Result<std::int64_t> replicas_that_hold(const std::vector<ReserveLoad>& loads,
                                        const OpenCandidate& open, std::int64_t least,
                                        std::int64_t most, PlanTests* tests) {
  constexpr std::int64_t kFinest = 20;
  std::int64_t few = least - 1;
  std::int64_t enough = 0;
  for (std::int64_t n = least; enough == 0 && n <= most;
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

// The target rate has to be held at the slow end of a candidate's error, too.
bool asks_slow_steps(const PlanRequest& request, const OpenCandidate& open) {
  return request.rate_rps && request.varies_model && open.result->model_error;
}

// By the objective, spare ones included.
double cost_of(const CandidateBills& bills, const OpenCandidate& open, std::int64_t replicas) {
  return bills.objective_cost(open, replicas - open.result->candidate.spare);
}

// As many as may hold the target rate by what the search found out.
std::int64_t fewest_possible(const OpenCandidate& open) {
  const Candidate& candidate = open.result->candidate;
  return std::max(candidate.replicas, open.possible_replicas) + candidate.spare;
}

// The fewest, for less than `cost`, that hold the target rate at the slow end of their own error;
// 0: none that were tested.
Result<std::int64_t> sized_below(double cost, const PlanRequest& request, const OpenCandidate& open,
                                 PlanTests* tests) {
  const CandidateBills bills(request);
  const std::int64_t least = fewest_possible(open);
  std::int64_t most = least - 1;
  while (most < most_replicas(open) && cost_of(bills, open, most + 1) < cost) ++most;
  return replicas_that_hold({slow_steps_of(request, *open.result->model_error)}, open, least, most,
                            tests);
}

/// What may hold the target rate at the slow end of its own error for less than something else.
struct Rival {
  const OpenCandidate* open = nullptr;
  double likely_cost = 0;  ///< by arithmetic
};

// One of each machine, the likeliest first. Neither splits nor mixes, nor what nobody measured, nor
// what may change answers where the other does not.
std::vector<Rival> rivals_of(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                             const OpenCandidate& sized, double cost) {
  const CandidateBills bills(request);
  std::vector<Rival> all;
  for (const OpenCandidate& o : open) {
    const CandidateResult& r = *o.result;
    const bool may_hold = r.fate == Fate::feasible || r.fate == Fate::dominated;
    const bool may_change = r.candidate.quantizes() && !sized.result->candidate.quantizes();
    if (!may_hold || r.candidate.splits() || r.candidate.mixes() || is_guess(r) || may_change ||
        !asks_slow_steps(request, o) || r.candidate.machine() == sized.result->candidate.machine())
      continue;
    const double least = cost_of(bills, o, fewest_possible(o));
    if (least < cost) all.push_back({&o, least * step_factors(*r.model_error)[1]});
  }
  std::ranges::stable_sort(all, {}, &Rival::likely_cost);
  std::vector<Rival> rivals;
  for (const Rival& rival : all) {
    const bool is_known = std::ranges::any_of(rivals, [&](const Rival& other) {
      return other.open->result->candidate.machine() == rival.open->result->candidate.machine();
    });
    if (!is_known) rivals.push_back(rival);
  }
  return rivals;
}

// What is the cheapest for the target rate itself may be dearer than another once both have room
// for their errors, and so may what is known instead of more of a guess. `sized`: with `replicas`,
// 0 where none tested are enough.
Result<void> size_rivals(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                         const OpenCandidate& sized, std::int64_t replicas, PlanTests* tests,
                         Plan* plan) {
  constexpr std::size_t kTried = 2;
  const bool is_by_cost =
      request.objective == Objective::least_cost || request.objective == Objective::least_gpus;
  if (!is_by_cost) return {};
  const CandidateBills bills(request);
  double cost =
      replicas > 0 ? cost_of(bills, sized, replicas) : std::numeric_limits<double>::infinity();
  std::vector<Rival> rivals = rivals_of(request, open, sized, cost);
  if (rivals.size() > kTried) rivals.resize(kTried);
  for (const auto& [rival, likely_cost] : rivals) {
    TRY(enough, sized_below(cost, request, *rival, tests));
    if (enough == 0) continue;
    cost = cost_of(bills, *rival, enough);
    plan->cheapest_known = rival->index;
    plan->known_with_slow_steps = enough;
  }
  const OpenCandidate& best = candidate_at(open, *plan->best);
  if (is_guess(*best.result) && asks_slow_steps(request, best))
    TRY_SET(plan->best_with_slow_steps, sized_below(cost, request, best, tests));
  return {};
}

}  // namespace

Result<void> size_for_slow_steps(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                                 PlanTests* tests, Plan* plan) {
  const bool is_short =
      request.rate_rps && plan->model_rps && plan->model_rps->low < *request.rate_rps;
  if (!plan->cheapest_known && !is_short) return {};
  const OpenCandidate& sized = candidate_at(open, plan->cheapest_known.value_or(*plan->best));
  if (!asks_slow_steps(request, sized)) return {};
  TRY(enough, replicas_that_hold({slow_steps_of(request, *sized.result->model_error)}, sized,
                                 sized.paid_replicas() + (plan->cheapest_known ? 0 : 1),
                                 most_replicas(sized), tests));
  (plan->cheapest_known ? plan->known_with_slow_steps : plan->best_with_slow_steps) = enough;
  return size_rivals(request, open, sized, enough, tests, plan);
}

Result<void> size_plain(const PlanRequest& request, const std::vector<OpenCandidate>& open,
                        PlanTests* tests, Plan* plan) {
  const OpenCandidate& best = candidate_at(open, *plan->best);
  const Candidate& pick = best.result->candidate;
  const auto other = pick.splits()      ? plan->best_aggregated
                     : pick.mixes()     ? plan->best_alone
                     : pick.quantizes() ? plan->best_stored
                                        : std::nullopt;
  if (!other || !plan->headroom || is_guess(*best.result)) return {};
  const OpenCandidate& plain = candidate_at(open, other->index);
  const Candidate& kind = plain.result->candidate;
  const bool is_plain = !kind.mixes() && (!kind.splits() || pick.splits());
  if (!is_plain || is_guess(*plain.result)) return {};
  if (request.objective == Objective::lowest_latency) return {};  // the cheaper one is slower
  const double asked = *request.rate_rps;
  const std::int64_t slow = plan->best_with_slow_steps;
  const std::int64_t with_headroom =
      instances_with_headroom(best.paid_replicas(), headroom_of(asked, plan->headroom->good_rps),
                              kUsualHeadroom, best.result->beside_replicas);
  const bool is_sized = !plan->model_rps || plan->model_rps->low >= asked || slow > 0;
  if (is_sized && std::max(slow, with_headroom) <= best.paid_replicas()) return {};
  std::vector<ReserveLoad> loads;
  if (asks_slow_steps(request, plain))
    loads.push_back(slow_steps_of(request, *plain.result->model_error));
  if (with_headroom >= slow) loads.push_back({asked * (1 + kUsualHeadroom)});
  TRY(enough, replicas_that_hold(loads, plain, plain.paid_replicas(), most_replicas(plain), tests));
  if (enough == 0) return {};
  const CandidateBills bills(request);
  const double usd = bills.objective_cost(plain, enough - plain.result->candidate.spare);
  const double usd_of_best = bills.objective_cost(best, std::max(slow, with_headroom) - pick.spare);
  const bool keeps_weights = pick.quantizes() && !plain.result->candidate.quantizes();
  if (!is_sized || usd < usd_of_best || (keeps_weights && costs_the_same(usd, usd_of_best)))
    plan->plain_with_reserve = {other->index, enough};
  return {};
}

}  // namespace plimsoll
