// What is deployed: identical instances behind admission and routing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/policy.h"
#include "base/units.h"
#include "cluster/flow_control.h"
#include "engine/engine_config.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// Far more than any deployment has.
inline constexpr std::int64_t kMostInstances = 100'000;

/// By tenant: the share of the cluster's places (instances x max_num_seqs) that its sheddable
/// requests may fill up; a tenant that is not listed has no limit.
using TenantShares = std::map<std::string, double>;

/// A scorer of the weighted routing policy (scorer.h) and how much it counts.
struct ScorerWeight {
  std::string name;
  double weight = 1;
  bool operator==(const ScorerWeight&) const = default;
};

struct Deployment {
  std::int32_t num_instances = 1;
  EngineConfig engine;
  std::shared_ptr<const StepTimeModel> step_time;

  std::string admission = "always-admit";  ///< one of admission_policies() (admission.h)
  TenantShares tenant_budgets;
  FlowControl flow_control;            ///< if enabled, takes the place of the admission policy
  std::string router = "round-robin";  ///< one of routers() (router.h)
  std::vector<ScorerWeight> scorers;   ///< of the weighted policy; none = default_scorers()
  ChosenParameters parameters;         ///< of these policies

  Duration admission_latency;
  Duration routing_latency;
  /// Routers see each instance as of the last refresh; zero: as it is now.
  Duration snapshot_refresh_interval = milliseconds(50);
  /// The same for what is in the KV caches.
  Duration cache_signal_delay = milliseconds(50);
};

}  // namespace plimsoll
