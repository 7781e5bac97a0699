// One deployment that a plan considers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "catalog/served_as.h"
#include "perf/parallelism.h"
#include "planner/plan_request.h"

namespace plimsoll {

/// The choices that are varied. Zero and empty texts: what the deployment has by itself.
struct Candidate {
  std::string gpu;
  std::int64_t num_gpus = 0;  ///< of an instance, as the space lists them; 0: as TP, PP and DP say
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  bool expert_parallel = false;
  std::string quantization;  ///< of the weights (ConfigSpace::quantizations)
  /// Instances of a replica that compute prompts for others and that answer them, in lowest terms;
  /// 0: a replica is one instance that does both.
  std::int64_t prefill = 0;
  std::int64_t decode = 0;
  /// The instances of a mix that serve beside the replicas, whatever the number of these; 0: none.
  std::int64_t beside = 0;
  std::string other_gpu;  ///< of those for prefill, or beside; empty: that of the replicas
  // Likewise; 0 or none: theirs.
  std::int64_t other_tp = 0;
  std::int64_t other_dp = 0;
  std::optional<bool> other_expert_parallel;
  std::string pd_decider;
  std::string pd_link;
  std::int64_t replicas = 1;  ///< 0: as many as the rate needs
  std::int64_t spare = 0;     ///< more of them, which the load does not need (FleetSize::spare)
  std::string batching_rule;
  std::int64_t max_num_seqs = 0;            ///< of each data-parallel rank, as vLLM's flag has it
  std::int64_t max_num_batched_tokens = 0;  ///< likewise
  std::string router;

  /// The server makes other weights of those that are stored.
  bool quantizes() const { return !empty_if_stored(quantization).empty(); }
  bool splits() const { return prefill > 0; }
  bool mixes() const { return beside > 0; }
  /// The other instances, for prefill or beside, are not like those of the replicas.
  bool has_unlike_pools() const {
    return !other_gpu.empty() || other_tp > 0 || other_dp > 0 || other_expert_parallel;
  }
  const std::string& gpu_of_other() const { return other_gpu.empty() ? gpu : other_gpu; }
  /// The layout of an instance of the replicas, and of one of the others.
  Parallelism layout() const { return {tp, pp, dp, expert_parallel ? tp * dp : 1}; }
  Parallelism layout_of_other() const {
    Parallelism other{other_tp > 0 ? other_tp : tp, pp, other_dp > 0 ? other_dp : dp};
    if (other_expert_parallel.value_or(expert_parallel)) other.ep = other.tp * other.dp;
    return other;
  }
  std::int64_t gpus_per_instance() const { return layout().gpus(); }
  std::int64_t gpus_per_other() const { return layout_of_other().gpus(); }

  // The instances of so many replicas: those that answer (of a mix those of its replicas), the
  // other ones, and both.
  std::int64_t own_instances(std::int64_t of) const { return splits() ? decode * of : of; }
  std::int64_t other_instances(std::int64_t of) const { return splits() ? prefill * of : beside; }
  /// The instances of a replica in each pool that has its own.
  std::vector<std::int64_t> sides() const {
    return splits() ? std::vector{decode, prefill} : std::vector<std::int64_t>{1};
  }
  std::int64_t instances(std::int64_t of) const { return own_instances(of) + other_instances(of); }
  std::int64_t gpus(std::int64_t of) const {
    return own_instances(of) * gpus_per_instance() + other_instances(of) * gpus_per_other();
  }
  std::int64_t gpus_per_replica() const { return gpus(1) - beside * gpus_per_other(); }
  std::int64_t total_gpus() const { return gpus(replicas + spare); }
  std::int64_t gpus_of_type(const std::string& type) const {
    const std::int64_t other = other_instances(replicas + spare) * gpus_per_other();
    return (gpu == type ? total_gpus() - other : 0) + (gpu_of_other() == type ? other : 0);
  }
  /// The replicas that so many instances are.
  std::int64_t replicas_of(std::int64_t all) const {
    return (all - beside) / (splits() ? prefill + decode : 1);
  }
  /// False where the space lists numbers of GPUs, and this is another one.
  bool has_num_gpus() const { return num_gpus == 0 || num_gpus == gpus_per_instance(); }

  /// What an instance of the replicas lies on, how, and with which weights.
  auto machine() const { return std::tie(gpu, tp, pp, dp, expert_parallel, quantization); }

  /// How a replica serves a request that is alone: with one instance for prefill and one that
  /// answers, whatever their ratio.
  auto engine() const {
    return std::tuple_cat(std::tie(gpu, tp, pp, dp, expert_parallel, quantization, num_gpus,
                                   batching_rule, max_num_batched_tokens, other_gpu, other_tp,
                                   other_dp, other_expert_parallel, pd_decider, pd_link),
                          std::tuple(splits(), mixes()));
  }
  /// All but the numbers of replicas and of instances beside them.
  auto deployment() const {
    return std::tuple_cat(engine(), std::tie(prefill, decode, max_num_seqs, router));
  }
};

/// "H100"; "L40S and H100": those for prefill first; "H100 and L40S": of a mix
std::string describe_gpu_types(const Candidate& candidate);
/// "TP4", "TP2 PP2 DP8", "TP1 DP8 EP8", "TP2, prefill TP1", "TP2, prefill L40S TP1", "TP1, beside
/// L40S TP2"
std::string describe_layout(const Candidate& candidate);
/// "split 2:1, always, ib-400", "split 1:1, prefill TP1, always"; "aggregated"
std::string describe_disaggregation(const Candidate& candidate);
/// "4 instances", "4 + 1 spare instances", "1 prefill + 1 decode instance", "2 H100 + 3 L40S
/// instances"
std::string describe_instances(const Candidate& candidate);
/// "2 instances x TP4", "4 prefill + 8 decode instances x TP1", "4 prefill x TP1 + 8 decode x TP2
/// instances", "2 H100 x TP1 + 3 L40S x TP1 instances"
std::string describe_pools(const Candidate& candidate);
/// "8 x H100", "4 x L40S + 8 x H100"; "2 x H100 + 3 x L40S" of a mix
std::string describe_hardware(const Candidate& candidate);
/// "8 x H100 (2 instances x TP4)", "2 x H100 (TP2, fp8 weights)", "12 x H100 (4 prefill + 8 decode
/// instances x TP1)", "4 x L40S + 8 x H100 (4 prefill x TP1 + 8 decode x TP1 instances)"
std::string describe_gpus(const Candidate& candidate);
/// The same with the engine's part: "8 x H100 (2 replicas x TP4), vllm, batch 128"
std::string describe(const Candidate& candidate);

/// The type of which a candidate takes more GPUs than there are; null: of none.
const std::string* short_of(const PlanRequest& request, const Candidate& candidate);

/// All combinations without mixes, in the order of the lists, replicas changing fastest. With a
/// target rate and no list of them, the number of replicas is not a choice but the answer: it stays
/// 0.
std::vector<Candidate> candidates_of(const PlanRequest& request);

}  // namespace plimsoll
