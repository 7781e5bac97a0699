// What all reports of a plan say alike: why candidates were ruled out, how to run one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan_figures.h"

namespace plimsoll {

struct PlanReport;

/// Those that arithmetic ruled out for the same reason; most frequent first.
struct PrunedGroup {
  std::string reason;
  std::vector<std::int64_t> ids;
};
std::vector<PrunedGroup> pruned_groups(const PlanReport& report);
/// The same, but for reasons that differ in their figures: budgets, counts, names of GPUs. The
/// reason of a group is that of its first candidate.
std::vector<PrunedGroup> pruned_kinds(const PlanReport& report);

/// "L4 TP1: needs 7 replicas at least and takes 7 GPUs, more than 4"
std::string first_of(const Plan& plan, const PrunedGroup& group);

/// `plimsoll run` of that deployment at the rate that was shown to hold.
std::string run_command(const CandidateResult& result);

}  // namespace plimsoll
