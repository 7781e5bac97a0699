// The settings of the gateway in front of the routers for when the cluster is full: hold requests
// back, in which order to let them go, whom to turn away.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/setting.h"
#include "base/units.h"
#include "workload/slo_class.h"

namespace plimsoll {

/// Settings, so that a specification can say which of them somebody chose.
struct FlowControl {
  Setting<bool> enabled = false;
  Setting<std::string> signal{"never"};  ///< one of saturation_signals() (saturation_signal.h)
  Setting<std::string> order{"fifo"};    ///< one of dispatch_orders() (gateway_queue.h)
  Setting<std::string> fairness{"global-strict"};  ///< one of fairness_policies() (gateway_queue.h)
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
