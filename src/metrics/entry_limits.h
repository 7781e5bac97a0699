// Does something hold requests back before an instance works on them, or take them away from it?
// Admission, routing, the gateway, and the deadlines of the requests. Called by find_bottleneck().
#pragma once

#include <optional>

#include "metrics/bottleneck.h"
#include "metrics/load_evidence.h"

namespace plimsoll {

/// None: it is for the instances to say.
std::optional<Limit> limit_before_instances(const LoadEvidence& evidence);

}  // namespace plimsoll
