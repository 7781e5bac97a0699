// What is deployed: identical instances behind admission and routing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "engine/engine_config.h"
#include "perf/step_time_model.h"

namespace plimsoll {

enum class AdmissionPolicyKind { always_admit, reject_all, token_bucket };

/// A scorer of the weighted routing policy (scorer.h) and how much it counts.
struct ScorerWeight {
  std::string name;
  double weight = 1;
};

struct Deployment {
  std::int32_t num_instances = 1;
  EngineConfig engine;
  std::shared_ptr<const StepTimeModel> step_time;

  AdmissionPolicyKind admission = AdmissionPolicyKind::always_admit;
  double token_bucket_capacity = 10000;    ///< prompt tokens
  double token_bucket_refill_rate = 1000;  ///< prompt tokens per second
  std::string router = "round-robin";      ///< one of routers() (router.h)
  std::vector<ScorerWeight> scorers;       ///< of the weighted policy; none = default_scorers()

  Duration admission_latency;
  Duration routing_latency;
  /// Routers see each instance as of the last refresh; zero: as it is now.
  Duration snapshot_refresh_interval = milliseconds(50);
  /// The same for what is in the KV caches.
  Duration cache_signal_delay = milliseconds(50);
};

}  // namespace plimsoll
