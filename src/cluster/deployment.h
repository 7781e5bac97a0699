// What is deployed: identical instances behind admission and routing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/setting.h"
#include "base/units.h"
#include "cluster/flow_control.h"
#include "engine/engine_config.h"
#include "perf/step_time_model.h"

namespace plimsoll {

enum class AdmissionPolicyKind { always_admit, reject_all, token_bucket, tier_shed, gaie_legacy };

/// Settings, so that a specification can say which of them somebody chose.
struct AdmissionRules {
  Setting<AdmissionPolicyKind> policy = AdmissionPolicyKind::always_admit;
  Setting<double> token_bucket_capacity = 10000;    ///< prompt tokens
  Setting<double> token_bucket_refill_rate = 1000;  ///< prompt tokens per second
  Setting<std::int64_t> tier_shed_threshold = 0;    ///< effective load of the busiest instance
  Setting<std::int64_t> tier_shed_min_priority = 0;
  Setting<double> gaie_queue_depth_threshold = 5;
  Setting<double> gaie_kv_threshold = 0.8;  ///< share of KV blocks
  /// By tenant: the share of the cluster's places (instances x max_num_seqs) that its sheddable
  /// requests may fill up; a tenant that is not listed has no limit.
  Setting<std::map<std::string, double>> tenant_budgets;
  bool operator==(const AdmissionRules&) const = default;
};

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

  AdmissionRules admission;
  FlowControl flow_control;            ///< if enabled, takes the place of the admission policy
  std::string router = "round-robin";  ///< one of routers() (router.h)
  std::vector<ScorerWeight> scorers;   ///< of the weighted policy; none = default_scorers()

  Duration admission_latency;
  Duration routing_latency;
  /// Routers see each instance as of the last refresh; zero: as it is now.
  Duration snapshot_refresh_interval = milliseconds(50);
  /// The same for what is in the KV caches.
  Duration cache_signal_delay = milliseconds(50);
};

}  // namespace plimsoll
