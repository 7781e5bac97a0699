// Which instance serves a request.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/units.h"
#include "cluster/deployment.h"
#include "workload/request.h"

namespace plimsoll {

/// An instance as a router sees it: counts as of the last refresh (zero before the first), but
/// in_flight, which the router keeps itself, always exact.
struct InstanceView {
  std::int64_t queue_depth = 0;
  std::int64_t batch_size = 0;
  double kv_utilization = 0;   ///< share of the KV blocks in use
  std::int64_t in_flight = 0;  ///< routed there and not yet completed, dropped or timed out

  /// Waiting requests count twice, as in the llm-d router the reference follows.
  std::int64_t effective_load() const { return queue_depth + batch_size + in_flight; }
};

class Router {
 public:
  virtual ~Router() = default;
  /// Called once per routed request, in order of routing; returns an index into `instances`
  /// (never empty).
  virtual std::size_t route(const Request& request, std::span<const InstanceView> instances) = 0;

  /// False if route() looks at nothing but the number of instances. Then instances need not be kept
  /// at the same time.
  virtual bool reads_views() const { return true; }
};

/// Ties are broken by draws that depend on `seed` and the number of the decision alone.
std::unique_ptr<Router> make_router(RouterPolicy policy, std::uint64_t seed);

}  // namespace plimsoll
