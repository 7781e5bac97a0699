// How latency rises with load, for the charts of a page. Searches test near the limit alone, so a
// few short tests are added below it, from nearly idle on. They decide nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "planner/capacity.h"
#include "planner/capacity_answer.h"
#include "planner/plan.h"

namespace plimsoll {

/// Whether one of the tests is so near to that rate that another one there would show nothing more
/// of a curve up to `highest_rps`.
bool is_near_any(const std::vector<LoadProbe>& tests, double rate_rps, double highest_rps);

/// Makes short tests of so many instances at shares of `rate_rps` (req/s), up to that rate itself,
/// that `tests` has no test near; by rate. `estimate` is of one instance, or of all of several
/// pools. Finite traffic is whole in each. Fewer where the execution was interrupted.
Result<std::vector<LoadProbe>> brief_tests(const ProbedSystem& system, std::int32_t instances,
                                           double rate_rps, const CapacityEstimate& estimate,
                                           const std::vector<LoadProbe>& tests,
                                           const Execution& execution);

/// The tests of the deployment of the answer that differ in the rate; by rate. It holds.
std::vector<LoadProbe> curve_tests(const CapacityAnswer& answer);
/// Likewise of the best of a plan, with its spare instances; it has one.
std::vector<LoadProbe> curve_tests(const Plan& plan);

/// The short tests below those of the best of a plan, as it was deployed; nothing without a best.
Result<std::vector<LoadProbe>> brief_tests(const Plan& plan, const Deploy& deploy,
                                           const Execution& execution);

}  // namespace plimsoll
