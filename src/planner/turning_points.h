// Whether prefill is to be split from decode, or GPU types to be mixed, asked of loads around the
// one that was asked about: from which rate, or which prompt length, on the answer is another one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "planner/plan.h"

namespace plimsoll {

/// The division that pays or not.
enum class DivisionKind : std::int8_t { split, mix };

/// The better choice for one load.
enum class DivisionAnswer : std::int8_t {
  neither,  ///< nothing was shown to keep the limits
  without,  ///< the cheapest that does not split or mix, or the only one that keeps the limits
  even,     ///< both cost the same
  with
};

/// Costs that differ by at most this share are the same: at a target rate they are whole
/// instances, else they come from rates and latencies that are found to a precision.
double tied_share(const PlanRequest& request);

/// The answer of a plan that was asked this.
DivisionAnswer division_answer(DivisionKind division, const PlanRequest& request, const Plan& plan);

struct DivisionPoint {
  double factor = 1;  ///< times what was asked about
  DivisionAnswer answer = DivisionAnswer::neither;
};

/// The answer for a load that is so many times the one that was asked about. `keep_going` false
/// means that it was cut short and counts for nothing.
using AskDivision = std::function<Result<DivisionAnswer>(double factor)>;

/// Asks at half and a quarter, at twice and four times the load, on either side until the answer
/// is another one, and then between, so that a change is known to a factor of 1.2. By factor, the
/// asked one (1) among them; fewer where `keep_going` ended it.
Result<std::vector<DivisionPoint>> look_around(DivisionAnswer asked, const AskDivision& ask,
                                               const std::function<bool()>& keep_going);

}  // namespace plimsoll
