#include "reference/random_deployment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/admission.h"
#include "cluster/gateway_queue.h"
#include "cluster/pd_decider.h"
#include "cluster/router.h"
#include "cluster/saturation_signal.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "engine/preemption.h"
#include "engine/scheduler.h"
#include "reference/random_pick.h"

namespace plimsoll::reference {
namespace {

/// In the range of the parameter, small as random cases are, and exact in floating point.
double pick_value(const PolicyParameter& parameter) {
  const auto [low, high, above_low] = parameter.range;
  if (low < 0) return std::clamp<double>(pick(-4, 4), low, high);
  if (high <= 1) return pick(above_low ? 1 : 0, 8) / 8.0;
  const double value = std::ldexp(pick(1, 7), pick(-2, 13));
  return std::clamp(parameter.is_whole ? std::floor(value) : value, low, high);
}

/// Any row of a table, and some of its parameters.
template <class Row>
std::string pick_policy(const std::vector<Row>& table, ChosenParameters* chosen) {
  const Row& row = table[pick<std::size_t>(0, table.size() - 1)];
  for (const PolicyParameter& parameter : row.parameters) {
    if (chance(80)) (*chosen)[parameter.name] = pick_value(parameter);
  }
  return row.name;
}

EngineConfig pick_engine(const Semantics& semantics, const Scale& scale) {
  EngineConfig engine;
  if (semantics.other_batching_rules && chance(60)) {
    engine.batching_rule = pick_policy(batching_rules(), &engine.parameters);
  }
  engine.block_size = chance(70) ? pick<std::int64_t>(1, 4) : pick<std::int64_t>(1, 16);
  engine.total_kv_blocks = pick<std::int64_t>(1, chance(80) ? scale.blocks / 5 : scale.blocks);
  engine.max_num_seqs = pick<std::int64_t>(1, 8);
  engine.max_num_batched_tokens = chance(70) ? pick<std::int64_t>(1, scale.batched_tokens) : 2048;
  engine.long_prefill_token_threshold = chance(25) ? pick<std::int64_t>(1, 8) : 0;
  engine.max_model_len = chance(25) ? pick<std::int64_t>(2, 2 * scale.input_tokens) : 0;
  engine.scheduler = pick_policy(schedulers(), &engine.parameters);
  engine.preemption = pick_policy(preemption_rules(), &engine.parameters);
  engine.prefix_caching = !chance(15);
  return engine;
}

Duration pick_duration(int percent_set, std::int64_t longest_us) {
  return microseconds(chance(percent_set) ? pick<std::int64_t>(0, longest_us) : 0);
}

FlowControl pick_flow_control(ChosenParameters* parameters) {
  FlowControl rules;
  rules.enabled = true;
  rules.signal = pick_policy(saturation_signals(), parameters);
  rules.order = pick_policy(dispatch_orders(), parameters);
  rules.fairness = pick_policy(fairness_policies(), parameters);  // there is one tenant
  std::array<Duration, kSloClasses> targets{};
  for (Duration& target : targets) target = pick_duration(60, 3000);
  rules.slo_targets = targets;
  rules.usage_limit = chance(50) ? 1 : pick(1, 8) / 8.0;
  rules.tick_interval = microseconds(pick(300, 3000));
  rules.max_depth = pick(0, 4);
  rules.band_capacity = pick(0, 2);
  rules.queue_shedding = chance(50);
  rules.in_flight_eviction = chance(50);
  rules.request_ttl = pick_duration(40, 4000);
  return rules;
}

std::vector<ScorerWeight> pick_scorers() {
  std::vector<ScorerWeight> chosen;
  for (const ScorerRow& scorer : scorers()) {
    if (chance(25)) chosen.push_back({scorer.name, pick(1, 8) / 2.0});
  }
  return chosen;
}

void pick_routing(Deployment* deployment) {
  deployment->router = pick_policy(routers(), &deployment->parameters);
  if (deployment->router != "weighted" || chance(20)) return;
  deployment->scorers = pick_scorers();
}

double pick_speed() { return std::ldexp(1.0, pick(-1, 2)); }

/// For the same part of requests: what two pools of a fleet have to have in common is as in `pool`.
Pool pick_pool_beside(const Pool& pool, const Semantics& semantics, const Scale& scale) {
  Pool other = pool;
  other.engine = pick_engine(semantics, scale);
  other.engine.batching_rule = pool.engine.batching_rule;
  other.engine.parameters = pool.engine.parameters;
  other.engine.scheduler = pool.engine.scheduler;
  other.engine.preemption = pool.engine.preemption;
  other.engine.block_size = pool.engine.block_size;
  other.num_instances = pick(1, 3);
  other.speed = pick_speed();
  return other;
}

/// Pools with links of their own, and a network that all transfers share.
void pick_links(Deployment* deployment) {
  KvTransfer& transfer = deployment->disaggregation.transfer;
  for (Pool& pool : deployment->pools) {
    if (chance(20)) pool.link_gb_per_s = transfer.gb_per_s * pick(1, 9) / 4;
    if (chance(20)) pool.gpus = pick(1, 3);
  }
  if (!transfer.layerwise && chance(20))
    transfer.network_gb_per_s = transfer.gb_per_s * pick(1, 9) / 2;
}

/// Prompts and answers on different instances: unlike limits, speeds and layouts on both sides,
/// links from so slow that transfers pile up to so fast that they take no time.
void pick_pools(const Semantics& semantics, const Scale& scale, Deployment* deployment) {
  Pool answers = deployment->main();
  answers.role = chance(80) ? PoolRole::decode : PoolRole::serve;
  answers.engine.batching_rule = "vllm";
  answers.kv.bytes_per_token = pick(1, 64) / 4.0;
  if (chance(15)) answers.kv.windowed = {{pick(1, 64) * 1.0, pick(1, 64) / 4.0}};
  if (chance(15)) answers.kv.bytes_per_request = pick(1, 64) * 16.0;
  answers.speed = pick_speed();
  Pool prefill = pick_pool_beside(answers, semantics, scale);
  prefill.role = PoolRole::prefill;
  prefill.engine.scheduler = pick_policy(schedulers(), &prefill.engine.parameters);
  prefill.engine.preemption = pick_policy(preemption_rules(), &prefill.engine.parameters);
  prefill.engine.max_model_len = answers.engine.max_model_len;
  prefill.kv.bytes_per_token = pick(1, 64) / 4.0;
  deployment->pools = {prefill};
  if (chance(15)) deployment->pools.push_back(pick_pool_beside(prefill, semantics, scale));
  deployment->pools.push_back(answers);
  if (chance(25)) deployment->pools.push_back(pick_pool_beside(answers, semantics, scale));
  Disaggregation& apart = deployment->disaggregation;
  const std::string decider = pick_policy(pd_deciders(), &deployment->parameters);
  apart.decider = chance(60) ? "always" : decider;
  apart.first_token_by_prefill = semantics.decode_makes_first_token && chance(40);
  apart.transfer.gb_per_s = std::ldexp(pick(1, 7), pick(-14, 2));
  apart.transfer.latency = microseconds(chance(70) ? pick(0, 3000) : 0);
  apart.transfer.shared = chance(80);
  apart.transfer.layerwise = chance(30);
  apart.transfer.layers = pick(1, 4);
  if (semantics.transfers_are_retimed) pick_links(deployment);
  if (chance(15)) apart.prefill_scorers = pick_scorers();
  if (chance(15)) apart.decode_scorers = pick_scorers();
}

/// Instances that are unlike serve the same model: other limits, memory and steps (compare.cc).
void pick_mixed(const Semantics& semantics, const Scale& scale, Deployment* deployment) {
  Pool& first = deployment->main();
  first.speed = pick_speed();
  first.num_instances = pick(1, 2);
  for (int more = pick(1, 2); more > 0; --more) {
    const Pool other = pick_pool_beside(deployment->pools.front(), semantics, scale);
    deployment->pools.push_back(other);
  }
}

/// Limits are those of all ranks together, and need not divide evenly.
void pick_ranks(Pool* pool) {
  pool->ranks = pick(2, 4);
  pool->gpus *= pool->ranks;
  EngineConfig& engine = pool->engine;
  for (std::int64_t* limit :
       {&engine.max_num_seqs, &engine.max_num_batched_tokens, &engine.total_kv_blocks}) {
    *limit = chance(90) ? *limit * pool->ranks + pick<std::int64_t>(0, pool->ranks - 1) : *limit;
  }
  if (chance(40)) engine.prompt_wait_steps = pick<std::int64_t>(1, 8);
}

}  // namespace

Deployment pick_deployment(const Semantics& semantics, const Scale& scale) {
  Deployment deployment;
  deployment.main().engine = pick_engine(semantics, scale);
  deployment.main().num_instances = chance(50) ? pick(1, 4) : 1;
  if (chance(33)) {
    pick_pools(semantics, scale, &deployment);
  } else if (chance(35)) {
    pick_mixed(semantics, scale, &deployment);
  }
  if (semantics.ranks_run_apart && chance(25)) {
    for (Pool& pool : deployment.pools) {
      if (deployment.pools.size() == 1 || chance(75)) pick_ranks(&pool);
    }
  }
  pick_routing(&deployment);
  deployment.router_memory_blocks = semantics.router_memory_blocks;
  if (chance(40)) deployment.admission = pick_policy(admission_policies(), &deployment.parameters);
  if (deployment.admission == "reject-all" && chance(75)) deployment.admission = "always-admit";
  if (chance(20)) deployment.flow_control = pick_flow_control(&deployment.parameters);
  deployment.admission_latency = pick_duration(30, 2000);
  deployment.routing_latency = pick_duration(30, 2000);
  deployment.snapshot_refresh_interval = pick_duration(70, 5000);
  deployment.cache_signal_delay = pick_duration(70, 5000);
  return deployment;
}

}  // namespace plimsoll::reference
