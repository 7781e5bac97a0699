// The reference twin's cluster: admission, routing and instances on one clock, and the stand-alone
// loop of a single instance. Tests call it with the same deployment and requests as the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/semantics.h"
#include "cluster/deployment.h"
#include "reference/instance.h"
#include "workload/request.h"

namespace plimsoll::reference {

struct Record {
  std::vector<RequestResult> requests;  ///< in the order of the input
  std::vector<InstanceResult> instances;
  TransferRecord transfers;
  std::int64_t rejected_admission = 0;
  std::int64_t rejected_routing = 0;
  std::int64_t gateway_losses = 0;      ///< refused, shed and expired at the gateway
  std::int64_t used_blocks_at_end = 0;  ///< of all instances
};

/// Chooses among equally loaded instances (in index order of those that may be chosen, at least
/// two) for request number `row` or, `for_prompt`, for its prompt alone. The product draws at
/// random, so a test answers with what the product drew.
using TieBreak = std::function<int(std::size_t row, const std::vector<int>& tied, bool for_prompt)>;

/// Runs `requests` (sorted by arrival) until nothing is left or the next event is past `horizon`.
Record simulate(const Deployment& deployment, const Semantics& semantics,
                const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie);

/// One instance without a cluster around it, in the `blis` semantics. This loop of the reference
/// stops only after the first event past the horizon.
Record simulate_stand_alone(const EngineConfig& config, const StepTimeModel& step_time,
                            const std::vector<Request>& requests, Time horizon);

}  // namespace plimsoll::reference
