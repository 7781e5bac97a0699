// Who is let in.
#pragma once

#include <memory>

#include "base/units.h"
#include "cluster/deployment.h"
#include "workload/request.h"

namespace plimsoll {

class AdmissionPolicy {
 public:
  virtual ~AdmissionPolicy() = default;
  /// Called once per request, in order of time; false turns the request away for good.
  virtual bool admit(const Request& request, Time now) = 0;
};

std::unique_ptr<AdmissionPolicy> make_admission(const Deployment& deployment);

}  // namespace plimsoll
