// A deployment: pools of instances behind admission and routing. Instances are numbered
// through, pool after pool.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/policy.h"
#include "base/setting.h"
#include "base/units.h"
#include "engine/engine_config.h"
#include "perf/instance_work.h"
#include "perf/model_size.h"
#include "perf/step_time_model.h"
#include "workload/slo_class.h"

namespace plimsoll {

/// The settings of the gateway in front of the routers for when the cluster is full: hold requests
/// back, in which order to let them go, whom to turn away. Settings, so that a specification can
/// say which of them somebody chose.
struct FlowControl {
  Setting<bool> enabled = false;
  Setting<std::string> signal{"never"};  ///< one of saturation_signals() (saturation_signal.h)
  Setting<std::string> order{"fifo"};    ///< one of dispatch_orders() (gateway_queue.h)
  Setting<std::string> fairness{"global-strict"};  ///< one of fairness_policies() (gateway_queue.h)
  /// From entry to deadline by class; zero = none.
  Setting<std::array<Duration, kSloClasses>> slo_targets;
  /// Saturation at which the least urgent band is held back; the bands between it and the most
  /// urgent one, which is held back at 1, lie on a line.
  Setting<double> usage_limit = 1;
  Setting<Duration> tick_interval =
      milliseconds(1);  ///< between two looks at a queue that is not empty

  Setting<std::int64_t> max_depth = 0;      ///< waiting requests in all; 0 = unlimited
  Setting<std::int64_t> band_capacity = 0;  ///< of one priority; 0 = unlimited
  Setting<bool> queue_shedding =
      false;  ///< a full queue gives up a sheddable request for a better one
  Setting<bool> in_flight_eviction =
      false;                      ///< sheddable requests lose their place in the instances
  Setting<Duration> request_ttl;  ///< longest wait; zero = for ever
  bool operator==(const FlowControl&) const = default;
};

/// Far more than any deployment has.
inline constexpr std::int64_t kMostInstances = 100'000;

/// For each tenant, the share of the cluster's places (instances x max_num_seqs) that its sheddable
/// requests may fill up; a tenant that is not listed has no limit.
using TenantShares = std::map<std::string, double>;

/// A scorer of the weighted routing policy (scorer.h) and how much it counts.
struct ScorerWeight {
  std::string name;
  double weight = 1;
  bool operator==(const ScorerWeight&) const = default;
};

/// Which part of a request an instance does.
enum class PoolRole : std::uint8_t {
  serve,    ///< all of it; beside pools for prefill the answer alone, too
  prefill,  ///< its prompt
  decode,   ///< the same as serve, beside pools for prefill
};

/// Instances that are all alike.
struct Pool {
  std::string name;  ///< empty: the only one
  PoolRole role = PoolRole::serve;
  std::int32_t num_instances = 1;
  EngineConfig engine;
  std::shared_ptr<const StepTimeModel> step_time;
  std::optional<InstanceWork> work;  ///< for MFU and MBU; none: the arithmetic is not modelled

  std::string gpu;        ///< as the catalog names it; empty: not known
  std::int64_t gpus = 1;  ///< of an instance
  std::optional<double> usd_per_gpu_hour;
  KvLayers kv;  ///< of a request on one GPU, where it is sent; 0: not known
  /// The bandwidth of transfers into and out of each GPU; none: as KvTransfer has it.
  std::optional<double> link_gb_per_s;
  std::int64_t longest_of_model = 0;  ///< tokens of a request that the model takes; 0: not known
  bool kv_blocks_are_given = false;   ///< asked for, not what the memory of its GPUs holds
  std::int64_t ranks = 1;             ///< of an instance; each has its share of `engine` (ranks.h)
  /// How much an instance serves beside those of other pools of its side, in any unit: what routers
  /// that know of unlike GPUs go by.
  double speed = 1;
  bool has_fixed_size = false;  ///< resized() leaves it as it is

  /// It answers: requests are routed to it whole or with their prompt computed elsewhere.
  bool answers() const { return role != PoolRole::prefill; }
};

/// How KV blocks get from an instance that has computed a prompt to the one that answers.
struct KvTransfer {
  /// The bandwidth into and out of each GPU of an instance, where its pool has none of its own:
  /// shards travel side by side.
  double gb_per_s = 25;
  double network_gb_per_s = 0;  ///< of all transfers together; 0: without limit
  Duration latency = microseconds(50);
  /// Transfers into or out of the same instance share its bandwidth, evenly at each moment. Only as
  /// the reference has it: all of those under way share one bandwidth, as many as there are when
  /// one begins.
  bool shared = true;
  /// Layers are sent as they are computed: the last one remains, and what the link was too slow
  /// for.
  bool layerwise = false;
  std::int64_t layers = 1;  ///< of the model
};

/// Prompts and answers on different instances. Nothing here counts without pools for prefill.
struct Disaggregation {
  std::string decider = "always";  ///< one of pd_deciders() (pd_decider.h)
  KvTransfer transfer;
  /// The client has its first token from the instance that computed the prompt. Else that of the
  /// answer computes the prompt's last token again and begins with the first one.
  bool first_token_by_prefill = false;
  /// The scorers of the weighted policy, by pool; none: as the deployment has them.
  std::vector<ScorerWeight> prefill_scorers;
  std::vector<ScorerWeight> decode_scorers;
};

struct Deployment {
  std::vector<Pool> pools = std::vector<Pool>(1);  ///< those for prefill first
  Disaggregation disaggregation;
  bool has_fleet_file = false;  ///< which says what the pools are, in place of flags

  std::string admission = "always-admit";  ///< one of admission_policies() (admission.h)
  TenantShares tenant_budgets;
  FlowControl flow_control;               ///< if enabled, takes the place of the admission policy
  std::string router = "round-robin";     ///< one of routers() (router.h)
  std::vector<ScorerWeight> scorers;      ///< of the weighted policy; none = default_scorers()
  ChosenParameters parameters;            ///< of these policies
  std::int64_t router_memory_blocks = 0;  ///< as Semantics has it

  Duration admission_latency;
  Duration routing_latency;
  /// Routers see each instance as of the last refresh; zero: as it is now.
  Duration snapshot_refresh_interval = milliseconds(50);
  /// The same for what is in the KV caches.
  Duration cache_signal_delay = milliseconds(50);

  /// The first pool that answers: the only one, of most deployments.
  const Pool& main() const {
    for (const Pool& pool : pools) {
      if (pool.answers()) return pool;
    }
    return pools.front();
  }
  Pool& main() { return const_cast<Pool&>(std::as_const(*this).main()); }

  std::int32_t num_instances() const {
    std::int32_t all = 0;
    for (const Pool& pool : pools) all += pool.num_instances;
    return all;
  }
  /// How many instances, the first ones, compute prompts for the others.
  std::size_t num_prefill_instances() const {
    std::size_t n = 0;
    for (const Pool& pool : pools) {
      if (!pool.answers()) n += static_cast<std::size_t>(pool.num_instances);
    }
    return n;
  }
  /// Prompts and answers may go to different instances.
  bool splits() const { return !pools.front().answers(); }
};

/// The bandwidth of KV transfers into and out of each GPU of a pool.
inline double link_gb_per_s(const Deployment& deployment, const Pool& pool) {
  return pool.link_gb_per_s.value_or(deployment.disaggregation.transfer.gb_per_s);
}

/// The same with so many instances in all, of each pool whose size is not fixed in its proportion.
inline Deployment resized(Deployment deployment, std::int32_t instances) {
  std::int64_t fixed = 0;
  for (const Pool& pool : deployment.pools) fixed += pool.has_fixed_size ? pool.num_instances : 0;
  const std::int64_t all = deployment.num_instances() - fixed;
  for (Pool& pool : deployment.pools) {
    if (pool.has_fixed_size) continue;
    pool.num_instances = static_cast<std::int32_t>(pool.num_instances * (instances - fixed) / all);
  }
  return deployment;
}

/// The same with one instance of each pool.
inline Deployment with_one_of_each(Deployment deployment) {
  for (Pool& pool : deployment.pools) pool.num_instances = 1;
  return deployment;
}

/// Who may be chosen: for whole requests and answers, or for prompts that are computed apart.
enum class Side : std::uint8_t { answers, prefills };

inline bool is_of(Side side, const Pool& pool) { return pool.answers() == (side == Side::answers); }

/// Returns the speed of each instance of one side, the fastest of which has 1; all have exactly 1
/// where they are alike.
inline std::vector<double> speeds_of(const Deployment& deployment, Side side) {
  double fastest = 0;
  for (const Pool& pool : deployment.pools) {
    if (is_of(side, pool)) fastest = std::max(fastest, pool.speed);
  }
  std::vector<double> speeds;
  for (const Pool& pool : deployment.pools) {
    if (!is_of(side, pool)) continue;
    speeds.insert(speeds.end(), static_cast<std::size_t>(pool.num_instances), pool.speed / fastest);
  }
  return speeds;
}

/// The same with the pools of one side alone.
inline Deployment part_of(Deployment deployment, Side side) {
  std::erase_if(deployment.pools, [&](const Pool& pool) { return !is_of(side, pool); });
  const Disaggregation& d = deployment.disaggregation;
  const auto& own = side == Side::answers ? d.decode_scorers : d.prefill_scorers;
  if (!own.empty()) {
    deployment.router = "weighted";
    deployment.scorers = own;
  }
  return deployment;
}

}  // namespace plimsoll
