// The view that routers and admission have of the instances: a column per figure. Plain data,
// filled by the ViewKeeper of a simulation (view_keeper.h), or by hand in tests.
#pragma once

#include <cstddef>
#include <vector>

namespace plimsoll {

/// The columns that a policy reads.
struct ViewNeeds {
  bool counters = false;       ///< queue depth, batch size, KV utilization
  bool in_flight = false;      ///< then all instances are kept on one clock
  bool cached_blocks = false;  ///< of the prompt, by instance

  bool any() const { return counters || in_flight || cached_blocks; }
  ViewNeeds operator|(const ViewNeeds& other) const {
    return {counters || other.counters, in_flight || other.in_flight,
            cached_blocks || other.cached_blocks};
  }
};

struct InstanceViews {
  explicit InstanceViews(std::size_t instances)
      : queue_depth(instances),
        batch_size(instances),
        kv_utilization(instances),
        in_flight(instances),
        cached_blocks(instances),
        speed(instances, 1) {}

  std::size_t first = 0;  ///< number of the first one among all instances of the cluster

  // As of the last refresh; zero before the first.
  std::vector<double> queue_depth;     ///< waiting requests
  std::vector<double> batch_size;      ///< running requests
  std::vector<double> kv_utilization;  ///< 0 to 1
  /// Routed there and not yet completed, dropped or timed out: the router's own, always exact.
  std::vector<double> in_flight;
  /// Leading blocks of the prompt being routed that are in the KV cache, as of the last refresh.
  std::vector<double> cached_blocks;
  /// How much it serves in the time in which the fastest one serves 1: a constant of the
  /// deployment.
  std::vector<double> speed;

  std::size_t size() const { return in_flight.size(); }

  /// The requests that an instance had at the last refresh count twice, as waiting or running and
  /// as in flight; those that were routed to it since count once, as in the llm-d router that the
  /// reference follows.
  double effective_load(std::size_t i) const {
    return queue_depth[i] + batch_size[i] + in_flight[i];
  }

  /// The same with the request being routed, which will count twice too, and by speed: comparable
  /// between unlike instances, as an expected wait is. Instances that are all alike are in the same
  /// order by both. As nginx's least_conn and the shortest expected delay of Linux's IPVS weigh
  /// connections.
  double load_for_speed(std::size_t i) const { return (effective_load(i) + 2) / speed[i]; }
};

}  // namespace plimsoll
