// Told of every decision of admission and routing, as it is made. Implemented outside of the
// simulation, which is the same with and without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/units.h"
#include "cluster/instance_views.h"
#include "workload/request.h"

namespace plimsoll {

/// Who admitted a request, or turned it away.
enum class AdmissionStage : std::uint8_t { tenant_budget, policy, gateway_queue };

class DecisionLog {
 public:
  virtual ~DecisionLog() = default;

  /// The columns of the views that it reads. To keep them takes time.
  virtual ViewNeeds needs() const = 0;

  virtual void admission(const Request& request, Time at, AdmissionStage stage, bool admitted) = 0;
  /// `scores` as Router::scores(); `views` as the router saw them, this request not yet counted.
  virtual void routing(const Request& request, Time at, std::size_t chosen,
                       std::span<const double> scores, const InstanceViews& views) = 0;
  /// No instance serves the request's model.
  virtual void no_target(const Request& request, Time at) = 0;

  // Where prefill is apart from decode; `request` was routed to the instance of its answer before.

  /// Its prompt is computed on the instance number `prefill` of all, or stays with its answer.
  /// `uncached`: tokens that the instance of the answer was seen not to have.
  virtual void division(const Request& request, Time at, std::int64_t uncached,
                        std::optional<std::size_t> prefill) = 0;
  /// Its KV blocks have arrived, which were on their way since `began`.
  virtual void transfer(const Request& request, Time at, std::size_t from, std::size_t to,
                        Time began) = 0;
};

}  // namespace plimsoll
