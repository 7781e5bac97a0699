// What the gateway in front of the routers is told to do when the cluster is full: hold requests
// back, in which order to let them go, whom to turn away.
#pragma once

#include <array>
#include <cstdint>

#include "base/setting.h"
#include "base/units.h"
#include "workload/slo_class.h"

namespace plimsoll {

/// How full the cluster is, as a number that is 1 at the limit.
enum class SaturationSignal {
  never,        ///< always 0: nothing is held back
  utilization,  ///< mean over instances of max(waiting / threshold, KV use / threshold)
  concurrency,  ///< requests in flight / (instances x max_concurrency)
};

enum class DispatchOrder {
  fifo,          ///< first in, first out over all classes
  priority,      ///< the most urgent class first
  slo_deadline,  ///< the same, of its tenant's requests the one that is due first
};

/// Which tenant of a band is served next.
enum class FairnessPolicy {
  global_strict,  ///< the one that has waited longest
  round_robin,    ///< one after the other, by name
};

/// Settings, so that a specification can say which of them somebody chose.
struct FlowControl {
  Setting<bool> enabled = false;
  Setting<SaturationSignal> signal = SaturationSignal::never;
  Setting<double> queue_depth_threshold = 5;
  Setting<double> kv_utilization_threshold = 0.8;
  Setting<std::int64_t> max_concurrency = 100;  ///< per instance

  Setting<DispatchOrder> order = DispatchOrder::fifo;
  Setting<FairnessPolicy> fairness = FairnessPolicy::global_strict;
  /// From entry to deadline by class; zero = none.
  Setting<std::array<Duration, kSloClasses>> slo_targets;
  /// Saturation at which the least urgent band is held back; the bands between it and the most
  /// urgent one, which is held back at 1, lie on a line.
  Setting<double> usage_limit = 1;
  Setting<Duration> tick_interval =
      milliseconds(1);  ///< between two looks at a queue that is not empty

  Setting<std::int64_t> max_depth = 0;      ///< waiting requests in all; 0 = unlimited
  Setting<std::int64_t> band_capacity = 0;  ///< of one priority; 0 = unlimited
  Setting<bool> queue_shedding =
      false;  ///< a full queue gives up a sheddable request for a better one
  Setting<bool> in_flight_eviction =
      false;                      ///< sheddable requests lose their place in the instances
  Setting<Duration> request_ttl;  ///< longest wait; zero = for ever
  bool operator==(const FlowControl&) const = default;
};

}  // namespace plimsoll
