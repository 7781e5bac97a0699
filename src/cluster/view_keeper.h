// Keeps what routers and admission see of instances they may choose among: copied at look-ups, no
// more often than the deployment's intervals say. Only what somebody needs is kept, and only what
// has changed is copied; of KV contents the changes alone.
//
// Owned by the simulation, which looks up before every admission and routing decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "cluster/deployment.h"
#include "cluster/instance_views.h"
#include "cluster/prefix_holdings.h"
#include "engine/ranks.h"
#include "workload/request.h"

namespace plimsoll {

class ViewKeeper {
 public:
  /// `instances` are those of the deployment, in their order; `first` is the number of the first
  /// one among all of the cluster.
  ViewKeeper(const Deployment& deployment, ViewNeeds needs, std::vector<Ranks*> instances,
             std::size_t first);

  const InstanceViews& views() const { return views_; }

  /// True if a look-up at `now` copies anything: the instances must have come to `now` before.
  bool is_due(Time now) const { return counters_.is_due(now) || contents_.is_due(now); }
  void look_up(Time now);
  /// Fills cached_blocks for a request that is about to be routed.
  void find_cached(const Request& request);

  /// Something happened at an instance since the last look-up.
  void changed(std::size_t i) {
    counters_.changed(i);
    contents_.changed(i);
  }
  void routed_to(std::size_t i) { views_.in_flight[i] += 1; }
  void left(std::size_t i, std::int64_t n) { views_.in_flight[i] -= static_cast<double>(n); }

 private:
  /// When something was copied last, and where it has changed since.
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

  void copy_counters(std::size_t i, const Ranks& instance);
  void copy_contents(std::uint32_t i, Ranks& instance);

  std::int64_t block_size_;
  ViewNeeds needs_;
  std::vector<Ranks*> instances_;
  InstanceViews views_;
  Copies counters_;
  Copies contents_;
  PrefixHoldings cached_;                       ///< by rank of all instances
  std::vector<std::uint32_t> first_ranks_;      ///< by instance
  std::vector<double> cached_blocks_;           ///< scratch, by rank
  std::vector<ContentChange> content_changes_;  ///< scratch
  std::vector<ContentPiece> pieces_;            ///< scratch
};

}  // namespace plimsoll
