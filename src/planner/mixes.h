// Mixes of a plan: instances of two GPU types that serve one model side by side. Which ones are
// worth a candidate follows from what each type does alone, by arithmetic.
#pragma once

#include <vector>

#include "planner/deployments.h"
#include "planner/plan.h"

namespace plimsoll {

/// Of each two candidates of unlike GPUs that are alike in all else but their TP: the faster one
/// by arithmetic counts as replicas, which the search finds the fewest of, and the slower one
/// serves beside it, a candidate for each number of instances:
///   - with a target rate, up to twice as many as should serve it alone, as far as the limits
///   allow;
///     beyond 32 each number is an eighth larger than the one before
///   - without one, where more is better, up to as many as the limits allow; else one
///   - where the space lists numbers of replicas, these, for both
/// More of the faster ones is never worse, as with replicas that are all alike. More of the slower
/// ones may be, where they miss a limit on a percentile that the others keep.
///
/// `alone`: all candidates without mixes, or these and others behind them, deployed where they can
/// be.
std::vector<Candidate> mixes_of(const PlanRequest& request,
                                const std::vector<CandidateResult>& alone,
                                const Deployments& deployments);

}  // namespace plimsoll
