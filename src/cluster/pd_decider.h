// Whether the prompt of a request is computed by an instance of its own (prefill and decode apart),
// or where the answer comes from. A decider is a class and a row of the table in pd_decider.cc
// (base/policy.h says what follows from it). Asked by Handoffs when a request is routed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/deployment.h"
#include "cluster/instance_views.h"

namespace plimsoll {

class PdDecider {
 public:
  virtual ~PdDecider() = default;
  /// `uncached`: tokens of the prompt that the instance of the answer does not have, as last
  /// reported; `prefills`: the instances that would compute it.
  virtual bool splits(std::int64_t uncached, const InstanceViews& prefills) = 0;
  /// Reads `uncached`.
  virtual bool needs_cached_blocks() const { return false; }
  /// The figures of the instances for prefill that it reads.
  virtual ViewNeeds needs() const { return {}; }
};

using PdDeciderRow = MadeRow<PdDecider>;

/// The first one is the default.
const std::vector<PdDeciderRow>& pd_deciders();

/// The one that the deployment names, which must be one of pd_deciders().
std::unique_ptr<PdDecider> make_pd_decider(const Deployment& deployment);

}  // namespace plimsoll
