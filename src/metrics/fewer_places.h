// Would instances that preempt serve more with fewer requests at a time? A place less makes batches
// smaller, which serve less; but what a preempted request computes again is time lost.
#pragma once

#include <cstdint>
#include <optional>

#include "metrics/load_evidence.h"

namespace plimsoll {

struct FewerPlaces {
  std::int64_t places = 0;  ///< of an instance: what its KV cache has room for
  double then_rps = 0;      ///< served with these, by arithmetic
  double now_rps = 0;       ///< served in this run while busy
};

/// Nothing unless what is served rises clearly. Asked of overloaded instances, all alike: while
/// places stay empty, a limit on them only makes requests wait that find memory free.
std::optional<FewerPlaces> fewer_places(const LoadEvidence& evidence);

}  // namespace plimsoll
