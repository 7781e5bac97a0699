// One deployment that a plan considers.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "perf/parallelism.h"
#include "planner/plan_request.h"

namespace plimsoll {

/// What is varied. Zero and empty texts: what the deployment has by itself.
struct Candidate {
  std::string gpu;
  std::int64_t num_gpus = 0;  ///< of a replica, as the space lists them; 0: as TP, PP and DP say
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t replicas = 1;  ///< 0: as many as the rate needs
  std::int64_t spare = 0;     ///< more of them, which the load does not need (FleetSize::spare)
  std::string batching_rule;
  std::int64_t max_num_seqs = 0;            ///< of each data-parallel rank, as vLLM's flag has it
  std::int64_t max_num_batched_tokens = 0;  ///< likewise
  std::string router;

  std::int64_t gpus_per_replica() const { return Parallelism{tp, pp, dp}.gpus(); }
  std::int64_t total_gpus() const { return gpus_per_replica() * (replicas + spare); }
  /// False where the space lists numbers of GPUs, and this is another one.
  bool has_num_gpus() const { return num_gpus == 0 || num_gpus == gpus_per_replica(); }

  /// How a replica serves a request that is alone.
  auto engine() const {
    return std::tie(gpu, tp, pp, dp, num_gpus, batching_rule, max_num_batched_tokens);
  }
  /// All but the number of replicas.
  auto deployment() const { return std::tuple_cat(engine(), std::tie(max_num_seqs, router)); }
};

/// "TP4", "TP2 PP2 DP8"
std::string describe_layout(const Candidate& candidate);
/// "8 x H100 (2 replicas x TP4)"
std::string describe_gpus(const Candidate& candidate);
/// The same with the engine's part: "8 x H100 (2 replicas x TP4), vllm, batch 128"
std::string describe(const Candidate& candidate);

/// All combinations, in the order of the lists, replicas changing fastest. With a target rate and
/// no list of them, the number of replicas is not a choice but the answer: it stays 0.
std::vector<Candidate> candidates_of(const PlanRequest& request);

}  // namespace plimsoll
