// What both forms of a specification from ServeGen data share: periods of the day, arrivals that
// our generators take.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "workload/servegen.h"

namespace plimsoll {

/// Of the day, in seconds; each period has three windows.
inline constexpr std::array<std::int64_t, 3> kServegenPeriodStart{0, 28'800, 50'400};
inline constexpr std::int64_t kServegenPeriodLength = 3 * ServegenWindow::kLength;

/// The shape as the publisher fitted it where generators take it, else the spread within what they
/// take, else Poisson arrivals.
ArrivalSpec usable_arrival(ArrivalProcess process, double shape, double cv);

/// The error of data without a client that is active `when`.
Result<WorkloadSpec> nothing_active(const std::string& when);

}  // namespace plimsoll
