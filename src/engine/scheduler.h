// In which order waiting requests enter the batch of an instance. The order is re-established
// before every step. A scheduler is a row of the table here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/policy.h"
#include "base/units.h"

namespace plimsoll {

/// The figures that the order of the queue may depend on; fixed while the request waits.
struct QueueKey {
  std::int32_t priority = 0;  ///< lower is more urgent
  std::int32_t input_tokens = 0;
  Time arrival;
  std::int64_t id = 0;  ///< last tie-break, as the text `request_<id>` sorts
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// The smallest goes first; equals go by arrival, then by id.
  virtual std::int64_t rank(const QueueKey& key) const = 0;
};

/// None: requests enter as they came, preempted ones first.
using SchedulerRow = MadeRow<Scheduler>;

/// The first one is the default.
const std::vector<SchedulerRow>& schedulers();

}  // namespace plimsoll
