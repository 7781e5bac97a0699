// One deployment that a plan considers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "perf/parallelism.h"
#include "planner/plan_request.h"

namespace plimsoll {

/// What is varied. Zero and empty texts: what the deployment has by itself.
struct Candidate {
  std::string gpu;
  std::int64_t num_gpus = 0;  ///< of an instance, as the space lists them; 0: as TP, PP and DP say
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  /// Instances of a replica that compute prompts for others and that answer them, in lowest terms;
  /// 0: a replica is one instance that does both.
  std::int64_t prefill = 0;
  std::int64_t decode = 0;
  std::string prefill_gpu;      ///< of a split; empty: that of those that answer
  std::int64_t prefill_tp = 0;  ///< likewise; 0: theirs
  std::string pd_decider;
  std::string pd_link;
  std::int64_t replicas = 1;  ///< 0: as many as the rate needs
  std::int64_t spare = 0;     ///< more of them, which the load does not need (FleetSize::spare)
  std::string batching_rule;
  std::int64_t max_num_seqs = 0;            ///< of each data-parallel rank, as vLLM's flag has it
  std::int64_t max_num_batched_tokens = 0;  ///< likewise
  std::string router;

  bool splits() const { return prefill > 0; }
  std::int64_t instances_per_replica() const { return splits() ? prefill + decode : 1; }
  std::int64_t gpus_per_instance() const { return Parallelism{tp, pp, dp}.gpus(); }
  /// Instances for prefill are not like those that answer.
  bool has_unlike_pools() const { return !prefill_gpu.empty() || prefill_tp > 0; }
  const std::string& gpu_of_prefill() const { return prefill_gpu.empty() ? gpu : prefill_gpu; }
  std::int64_t tp_of_prefill() const { return prefill_tp > 0 ? prefill_tp : tp; }
  std::int64_t gpus_per_prefill_instance() const {
    return Parallelism{tp_of_prefill(), pp, dp}.gpus();
  }
  std::int64_t gpus_per_replica() const {
    if (!splits()) return gpus_per_instance();
    return prefill * gpus_per_prefill_instance() + decode * gpus_per_instance();
  }
  std::int64_t total_gpus() const { return gpus_per_replica() * (replicas + spare); }
  /// False where the space lists numbers of GPUs, and this is another one.
  bool has_num_gpus() const { return num_gpus == 0 || num_gpus == gpus_per_instance(); }

  /// How a replica serves a request that is alone: with one instance for prefill and one that
  /// answers, whatever their ratio.
  auto engine() const {
    return std::tuple_cat(std::tie(gpu, tp, pp, dp, num_gpus, batching_rule, max_num_batched_tokens,
                                   prefill_gpu, prefill_tp, pd_decider, pd_link),
                          std::tuple(splits()));
  }
  /// All but the number of replicas.
  auto deployment() const {
    return std::tuple_cat(engine(), std::tie(prefill, decode, max_num_seqs, router));
  }
};

/// "TP4", "TP2 PP2 DP8", "TP2, prefill TP1", "TP2, prefill L40S TP1"
std::string describe_layout(const Candidate& candidate);
/// "split 2:1, always, ib-400", "split 1:1, prefill TP1, always"; "aggregated"
std::string describe_disaggregation(const Candidate& candidate);
/// "4 instances", "4 + 1 spare instances", "4 prefill + 8 decode instances"
std::string describe_instances(const Candidate& candidate);
/// "2 instances x TP4", "4 prefill + 8 decode instances x TP1", "4 prefill x TP1 + 8 decode x TP2
/// instances"
std::string describe_pools(const Candidate& candidate);
/// "8 x H100", "4 x L40S + 8 x H100"
std::string describe_hardware(const Candidate& candidate);
/// "8 x H100 (2 instances x TP4)", "12 x H100 (4 prefill + 8 decode instances x TP1)",
/// "4 x L40S + 8 x H100 (4 prefill x TP1 + 8 decode x TP1 instances)"
std::string describe_gpus(const Candidate& candidate);
/// The same with the engine's part: "8 x H100 (2 replicas x TP4), vllm, batch 128"
std::string describe(const Candidate& candidate);

/// All combinations, in the order of the lists, replicas changing fastest. With a target rate and
/// no list of them, the number of replicas is not a choice but the answer: it stays 0.
std::vector<Candidate> candidates_of(const PlanRequest& request);

}  // namespace plimsoll
