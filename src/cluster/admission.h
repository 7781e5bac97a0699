// Who is let in.
#pragma once

#include <cstdint>
#include <memory>

#include "base/units.h"
#include "cluster/deployment.h"
#include "cluster/instance_views.h"
#include "workload/request.h"

namespace plimsoll {

class AdmissionPolicy {
 public:
  virtual ~AdmissionPolicy() = default;
  /// Called once per request, in order of time; false turns the request away for good.
  virtual bool admit(const Request& request, Time now, const InstanceViews& instances) = 0;

  /// What admit() reads of the instances.
  virtual ViewNeeds needs() const { return {}; }
  /// What becomes of a request that is turned away: rejected whatever the load, or shed because of
  /// it.
  virtual bool sheds() const { return false; }
};

std::unique_ptr<AdmissionPolicy> make_admission(const AdmissionRules& rules,
                                                const SloPriorities& priorities);

/// How full the instances are; 1 is full. The mean over instances of the greater of waiting
/// requests and KV use, each by its threshold; 1 if there are no instances.
double mean_utilization(const InstanceViews& instances, double queue_depth_threshold,
                        double kv_threshold);

}  // namespace plimsoll
