// Who loses its place in the batch when a running request needs a KV block and none is free. A
// preemption rule is a row of the table here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/policy.h"
#include "base/units.h"

namespace plimsoll {

/// A running request that may have to give way.
struct RunningKey {
  std::int32_t priority = 0;  ///< lower is more urgent
  Time arrival;
};

class PreemptionRule {
 public:
  virtual ~PreemptionRule() = default;
  /// Whether `a` gives way rather than `b`, which was admitted later.
  virtual bool gives_way(const RunningKey& a, const RunningKey& b) const = 0;
};

/// None: whoever was admitted last gives way.
using PreemptionRow = MadeRow<PreemptionRule>;

/// The first one is the default.
const std::vector<PreemptionRow>& preemption_rules();

}  // namespace plimsoll
