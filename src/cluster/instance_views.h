// What routers and admission see of the instances: a column per figure, copied at look-ups no more
// often than the deployment's intervals say, and all zero before the first copy. In-flight counts
// are the router's own and always exact. What nobody needs is not kept.
//
// Owned by the simulation, which looks up before every admission and routing decision.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/units.h"
#include "cluster/deployment.h"
#include "cluster/prefix_holdings.h"
#include "engine/instance.h"
#include "workload/request.h"

namespace plimsoll {

/// What a policy reads.
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

class InstanceViews {
 public:
  InstanceViews(const Deployment& deployment, ViewNeeds needs);

  // Columns by instance.
  std::size_t size() const { return in_flight_.size(); }
  std::span<const double> queue_depth() const { return queue_depth_; }        ///< waiting requests
  std::span<const double> batch_size() const { return batch_size_; }          ///< running requests
  std::span<const double> kv_utilization() const { return kv_utilization_; }  ///< 0 to 1
  /// Routed there and not yet completed, dropped or timed out.
  std::span<const double> in_flight() const { return in_flight_; }
  /// Leading prompt blocks of the request being routed that are in the KV cache.
  std::span<const double> cached_blocks() const { return cached_blocks_; }

  /// Waiting requests count twice, as in the llm-d router the reference follows.
  double effective_load(std::size_t i) const {
    return queue_depth_[i] + batch_size_[i] + in_flight_[i];
  }

  /// True if a look-up at `now` copies anything: the instances must have come to `now` before.
  bool is_due(Time now) const { return counters_.is_due(now) || contents_.is_due(now); }
  void look_up(Time now, std::deque<Instance>& instances);
  /// Fills cached_blocks() for a request that is about to be routed.
  void find_cached(const Request& request);

  /// Something happened at an instance since the last look-up.
  void changed(std::size_t i) {
    counters_.changed(i);
    contents_.changed(i);
  }
  void routed_to(std::size_t i) { in_flight_[i] += 1; }
  void left(std::size_t i, std::int64_t n) { in_flight_[i] -= static_cast<double>(n); }

 private:
  /// When something was copied last, and what of it has changed since.
  struct Copies {
    bool needed = false;
    Duration interval;
    Time last;
    std::vector<char> is_changed;
    std::vector<std::uint32_t> changes;

    bool is_due(Time now) const { return needed && now - last >= interval; }
    void changed(std::size_t i) {
      if (!needed || is_changed[i] != 0) return;
      is_changed[i] = 1;
      changes.push_back(static_cast<std::uint32_t>(i));
    }
    template <class Copy>
    void refresh(Time now, Copy copy);
  };

  void copy_counters(std::size_t i, const Instance& instance);
  void copy_contents(std::uint32_t i, Instance& instance);

  std::int64_t block_size_;
  Copies counters_;
  Copies contents_;
  std::vector<double> queue_depth_;
  std::vector<double> batch_size_;
  std::vector<double> kv_utilization_;
  std::vector<double> in_flight_;
  std::vector<double> cached_blocks_;
  PrefixHoldings cached_;
  std::vector<ContentChange> content_changes_;  ///< scratch
  std::vector<ContentPiece> pieces_;            ///< scratch
};

}  // namespace plimsoll
