// Which instance serves a request. A routing policy is a file in routers/, which ends with its row,
// and its line in the table of router.cc (base/policy.h says what follows from a row).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/deployment.h"
#include "cluster/instance_views.h"
#include "workload/request.h"

namespace plimsoll {

class Router {
 public:
  virtual ~Router() = default;
  /// Called once per routed request, in order of routing; returns an index into `views` (never
  /// empty). Only columns that needs() names are kept.
  virtual std::size_t route(const Request& request, const InstanceViews& views) = 0;
  /// The columns of the views that route() reads: the fewer, the faster the simulation.
  virtual ViewNeeds needs() const { return {}; }
  /// The scores behind the last decision, one per instance, the greatest is best; empty if the
  /// policy has none.
  virtual std::span<const double> scores() const { return {}; }
};

/// Random draws depend on the seed and the number of the decision alone.
using RouterRow = MadeRow<Router, const Deployment&, std::uint64_t>;

/// The first one is the default.
const std::vector<RouterRow>& routers();

/// The policy that the deployment names, which must be one of routers().
std::unique_ptr<Router> make_router(const Deployment& deployment, std::uint64_t seed);

}  // namespace plimsoll
