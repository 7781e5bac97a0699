// Who is let in. An admission policy is a class and a row of the table in admission.cc
// (base/policy.h says what follows from it).
#pragma once

#include <memory>
#include <string>
#include <vector>

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

  /// The figures of the instances that admit() reads.
  virtual ViewNeeds needs() const { return {}; }
  /// Whether a request that is turned away is shed because of the load, or rejected whatever it is.
  virtual bool sheds() const { return false; }
};

using AdmissionRow = MadeRow<AdmissionPolicy, const SloPriorities&>;

/// The first one is the default.
const std::vector<AdmissionRow>& admission_policies();

/// The policy that the deployment names, which must be one of admission_policies().
std::unique_ptr<AdmissionPolicy> make_admission(const Deployment& deployment);

}  // namespace plimsoll
