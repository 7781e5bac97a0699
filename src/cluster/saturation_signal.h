// How full the cluster is, as a number that is 1 at the limit: what the gateway goes by. A signal
// is a class and a row of the table in saturation_signal.cc (base/policy.h says what follows from
// it).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/policy.h"
#include "cluster/instance_views.h"

namespace plimsoll {

class SaturationSignal {
 public:
  virtual ~SaturationSignal() = default;
  /// Called at each look of the gateway, in order of time.
  virtual double saturation(const InstanceViews& instances) const = 0;
  /// The figures of the instances that saturation() reads.
  virtual ViewNeeds needs() const { return {}; }
};

using SaturationSignalRow = MadeRow<SaturationSignal>;

/// The first one is the default.
const std::vector<SaturationSignalRow>& saturation_signals();

/// The mean over instances of the greater of waiting requests and KV use, each by its threshold; 1
/// if there are no instances.
double mean_utilization(const InstanceViews& instances, double queue_depth_threshold,
                        double kv_threshold);

}  // namespace plimsoll
