// What gives way first where the best of a plan fails: all that advises on it asks here, so that no
// two sentences advise the opposite.
#pragma once

#include <string>

#include "report/plan/plan.h"

namespace plimsoll {

/// The least load that is too much for the best; null: none was found. With a target rate that is
/// one beyond it: of fewer replicas the best is the answer already.
const LoadProbe* load_too_much(const PlanReport& report, const CandidateResult& best);

/// Bottleneck::resource there; empty: nothing was too much.
std::string weakest_resource(const PlanReport& report, const CandidateResult& best);

/// Share of the KV memory from which on bursts preempt.
inline constexpr double kFullKvMemory = 0.85;

/// Not where steps, gaps between tokens or the memory give way: larger batches make each step
/// longer and take more memory.
bool larger_batches_may_help(const PlanReport& report, const CandidateResult& best);

}  // namespace plimsoll
