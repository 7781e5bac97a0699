// A plan's recommendation as files that deploy it, and the load test that could refute it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "metrics/summary.h"

namespace plimsoll {

// The deployment that a plan recommends, and what files of all forms say of it.

struct DeploymentFile {
  std::string name;
  std::string text;
};

/// One figure of the load test, named as reports of `observe` have it: "ttft_p99_ms".
struct ExpectedFigure {
  double value = 0;
  MetricInterval sampled;               ///< of a run of all requests
  std::optional<MetricInterval> model;  ///< by the model's error alone; none: that is not known
};

/// A setting that was simulated and that files for servers cannot say.
struct UnsetFlag {
  std::string flag;    ///< of `run`, as typed
  std::string remedy;  ///< a sentence: who has to see to it
};

/// Instances that are all alike.
struct RecommendedPool {
  std::string gpu;            ///< of the catalog
  std::int64_t replicas = 1;  ///< instances, spare ones included
  std::int64_t gpus_per_replica = 1;
  std::int64_t gpus_per_machine = 8;
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::vector<std::string> engine_args;  ///< of vLLM, but for the sizes of parallel groups
};

/// The instances that answer, with those that compute prompts for them, if it is split, or those of
/// another GPU type that answer beside them, if it is a mix.
struct RecommendedDeployment : RecommendedPool {
  std::optional<RecommendedPool> prefill;
  std::optional<RecommendedPool> beside;
  std::string fleet;    ///< of a mix: the file for `run --fleet`
  std::string verdict;  ///< of the plan, one line
  std::string model;    ///< as model hubs call it
  /// The format that the checkpoint has to have, where that is not the one of `model` and vLLM does
  /// not make it at start.
  std::string weights;
  std::string name;        ///< of what is deployed; empty: after the model
  std::int64_t spare = 0;  ///< of all instances
  std::vector<UnsetFlag> unset;
  /// The plan schedules asynchronously, and the servers that are started cannot.
  bool is_in_step = false;
  double weight_gib = 0;
  std::string run_command;    ///< `plimsoll run ...`; in both, HERE is the folder of the scripts
  std::string observe_flags;  ///< of `plimsoll observe`: the same traffic
  std::vector<DeploymentFile> beside_scripts;  ///< what both read there
  double rate_rps = 0;
  std::int64_t requests = 0;  ///< of the run behind the plan
  double model_error = 0;     ///< of steps, +- as a share; 0: not known
  std::vector<ExpectedFigure> expected;
  std::vector<std::string> limits;        ///< of the plan, on all requests: "TTFT p99 < 500 ms"
  std::vector<std::string> class_limits;  ///< the limits that are on a class of requests alone
};

/// The port on which servers listen.
inline constexpr int kServingPort = 8000;

/// A label of DNS: "Qwen/Qwen3-14B" -> "qwen-qwen3-14b".
std::string resource_name(const std::string& name);
/// The name of this deployment's resources.
std::string resource_name(const RecommendedDeployment& deployment);

/// Prefill and decode have instances of their own.
inline bool is_split(const RecommendedDeployment& d) { return d.prefill.has_value(); }

/// The instances of all pools.
std::int64_t all_instances(const RecommendedDeployment& deployment);

/// A replica takes more GPUs than a machine has.
bool spans_machines(const RecommendedPool& pool);

bool is_amd(const RecommendedPool& pool);
/// The name by which Kubernetes counts the GPUs.
std::string gpu_resource(const RecommendedPool& pool);

/// All arguments of `vllm serve` after the model.
std::vector<std::string> serve_args(const RecommendedPool& pool);

/// The settings that tell servers of a split the way of their KV blocks. Either side may be asked
/// for blocks: the connector has one role (vLLM docs, "NixlConnector Usage Guide").
inline constexpr const char* kTransferConfig =
    R"({"kv_connector":"NixlConnector","kv_role":"kv_both"})";

/// The settings that the files leave out, as comments.
std::string notes_on_unset(const RecommendedDeployment& deployment);
/// Of weights that vLLM does not make at start: "a checkpoint of Qwen/Qwen3-14B with int4 weights".
std::string wanted_checkpoint(const RecommendedDeployment& deployment);
/// What servers of a cluster load: the model, or a name that the user has to replace by that of a
/// checkpoint with the weights that were planned, as a note says.
std::string checkpoint_of(const RecommendedDeployment& deployment);
/// The line of a script that names the model: MODEL wins, for names that the server spells
/// otherwise.
std::string model_line(const RecommendedDeployment& deployment);

/// The words of a pod's command, in which Kubernetes expands `$(NAME)`, not `$$`.
Json pod_words(const std::vector<std::string>& words);

/// An object as YAML: lists of texts in one line, all else in blocks.
std::string yaml_of(const Json& object);

/// Names of the forms: vllm, kubernetes, llm-d, dynamo.
const std::vector<std::string>& deployment_forms();

/// The files of one form, with load_test.sh and simulate.sh; without them where the traffic has a
/// rate of its own, which is not the plan's.
std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& deployment);

// The files that deploy a recommendation, by form: written for vLLM 0.11, Kubernetes 1.29, the
// chart llm-d-modelservice v0.4.0 and Dynamo 1.0.

/// The script of vLLM alone: one that starts all replicas on one machine. `file`: its name.
std::string serve_script(const RecommendedDeployment& deployment,
                         const std::string& file = "serve.sh");

/// The files of vLLM for a mix: what starts an instance of each GPU type, and the fleet file.
std::vector<DeploymentFile> mix_files(const RecommendedDeployment& deployment);

/// The files of vLLM where prefill is apart from decode: what starts an instance of each kind, and
/// the proxy in front of them.
std::vector<DeploymentFile> split_scripts(const RecommendedDeployment& deployment);

std::string kubernetes_deployment(const RecommendedDeployment& deployment);
std::string kubernetes_service(const RecommendedDeployment& deployment);

/// The values of the chart.
std::string llm_d_values(const RecommendedDeployment& deployment);

/// A DynamoGraphDeployment.
std::string dynamo_graph(const RecommendedDeployment& deployment);

}  // namespace plimsoll
