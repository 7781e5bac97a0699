// A plan's recommendation as files that deploy it, and the load test that could refute it. Written
// for vLLM 0.11, Kubernetes 1.29 and the chart llm-d-modelservice v0.4.0. Called by
// cli/plan_emit.cc, which knows what the deployment was told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll {

/// One figure of the load test, and where it may lie if the plan is right.
struct ExpectedFigure {
  std::string metric;  ///< as reports of `observe` have it: "ttft_p99_ms"
  double value = 0;
  double low = 0;
  double high = 0;
};

struct RecommendedDeployment {
  std::string verdict;        ///< of the plan, one line
  std::string model;          ///< as model hubs call it
  std::string name;           ///< of what is deployed; empty: after the model
  std::string gpu;            ///< of the catalog
  std::int64_t replicas = 1;  ///< spare ones included
  std::int64_t gpus_per_replica = 1;
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  bool expert_parallel = false;
  std::string quantization;    ///< by `run`'s name; empty: as the checkpoint
  std::string kv_cache_dtype;  ///< likewise
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::optional<std::int64_t> max_model_len;
  std::int64_t block_size = 16;
  double gpu_memory_utilization = 0.9;
  bool prefix_caching = true;
  bool chunked_prefill = true;
  std::string batching_rule;
  std::string router;
  double weight_gib = 0;
  std::string run_command;    ///< `plimsoll run ...`
  std::string observe_flags;  ///< of `plimsoll observe`: the same traffic
  double rate_rps = 0;
  std::int64_t requests = 0;
  double model_error = 0;  ///< of steps, +- as a share; 0: not known
  std::vector<ExpectedFigure> expected;
};

/// A label of DNS: "Qwen/Qwen3-14B" -> "qwen-qwen3-14b".
std::string resource_name(const std::string& name);

struct DeploymentFile {
  std::string name;
  std::string text;
};

/// Names of the forms: vllm, kubernetes, llm-d.
const std::vector<std::string>& deployment_forms();

/// Of one form, with load_test.sh and simulate.sh; without them where the traffic has a rate of its
/// own, which is not the plan's.
std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& deployment);

}  // namespace plimsoll
