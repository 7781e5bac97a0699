// The files for clusters: manifests of Kubernetes; values of the chart llm-d-modelservice v0.4.0
// (its values.yaml and examples/values-pd.yaml); a graph of NVIDIA Dynamo 1.0, the custom resource
// DynamoGraphDeployment of API nvidia.com/v1alpha1 (docs.nvidia.com/dynamo, "API Reference";
// examples/backends/vllm/deploy of ai-dynamo/dynamo).
#include <cmath>

#include <fmt/format.h>

#include "base/quoting.h"
#include "report/emit/deployment_files.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

// ---- Kubernetes

Json health_probe(int port, std::int64_t period_s, std::int64_t failures) {
  return {{"httpGet", {{"path", "/health"}, {"port", port}}},
          {"periodSeconds", period_s},
          {"failureThreshold", failures}};
}

// Weights are loaded within half an hour.
Json startup_probe(int port) { return health_probe(port, 10, 180); }
Json readiness_probe(int port) { return health_probe(port, 5, 3); }

// The processes of a tensor-parallel group talk through shared memory.
Json shm_mounts() { return Json::array({{{"name", "shm"}, {"mountPath", "/dev/shm"}}}); }
Json shm_volumes() {
  return Json::array({{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}});
}

Json manifest(const char* api, const char* kind, const std::string& name, Json spec) {
  return {{"apiVersion", api}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

Json vllm_container(const RecommendedDeployment& d) {
  const Json token{{"name", "hf-token"}, {"key", "token"}, {"optional", true}};
  return {{"name", "vllm"},
          {"image",
           is_amd(d) ? "rocm/vllm:rocm7.0.0_vllm_0.11.2_20251210" : "vllm/vllm-openai:v0.11.0"},
          {"command",
           pod_words({"vllm", "serve", checkpoint_of(d), "--port", std::to_string(kServingPort)})},
          {"args", pod_words(serve_args(d))},
          {"ports", Json::array({{{"containerPort", kServingPort}}})},
          {"env", Json::array({{{"name", "HF_TOKEN"}, {"valueFrom", {{"secretKeyRef", token}}}}})},
          {"resources", {{"limits", {{gpu_resource(d), d.gpus_per_replica}}}}},
          {"startupProbe", startup_probe(kServingPort)},
          {"readinessProbe", readiness_probe(kServingPort)},
          {"volumeMounts", shm_mounts()}};
}

// The labels are those of the vendors' device plugins.
std::string note_on_nodes(const RecommendedPool& pool) {
  const std::string label = is_amd(pool) ? "amd.com/gpu.product-name" : "nvidia.com/gpu.product";
  return comment_lines(
             fmt::format("On nodes with several GPU types, add a nodeSelector for {} to the "
                         "pod's spec, with the value that this shows:",
                         pool.gpu)) +
         commented("  kubectl get nodes -L " + label);
}

std::string note_on_checkpoint(const RecommendedDeployment& d) {
  if (d.weights.empty()) return {};
  return comment_lines(
      fmt::format("Replace {} with the name of {}.", checkpoint_of(d), wanted_checkpoint(d)));
}

// ---- llm-d

// Where the server of a decode pod listens, behind its proxy (routing.proxy.targetPort).
constexpr int kPortBehindProxy = 8200;

// The chart itself makes no probes and no shared memory.
Json chart_container(const RecommendedPool& pool, bool is_split, int port) {
  std::vector<std::string> args = pool.engine_args;
  if (pool.pp > 1) args.insert(args.end(), {"--pipeline-parallel-size", std::to_string(pool.pp)});
  if (is_split) args.insert(args.end(), {"--kv-transfer-config", kTransferConfig});
  Json out{{"name", "vllm"},
           {"image",
            is_amd(pool) ? "ghcr.io/llm-d/llm-d-rocm:v0.5.0" : "ghcr.io/llm-d/llm-d-cuda:v0.5.0"},
           {"modelCommand", "vllmServe"},
           {"args", pod_words(args)}};
  if (is_split) {  // by what address others ask this pod for KV blocks
    const Json pod_ip{{"fieldRef", {{"fieldPath", "status.podIP"}}}};
    out["env"] = Json::array({{{"name", "VLLM_NIXL_SIDE_CHANNEL_HOST"}, {"valueFrom", pod_ip}}});
  }
  const Json gpus{{gpu_resource(pool), pool.gpus_per_replica}};
  out["resources"] = {{"limits", gpus}, {"requests", gpus}};
  out["mountModelVolume"] = true;
  out["volumeMounts"] = shm_mounts();
  out["extraConfig"] = {{"startupProbe", startup_probe(port)},
                        {"readinessProbe", readiness_probe(port)}};
  return out;
}

Json pods(const RecommendedPool& pool, bool is_split, int port) {
  return {{"create", true},
          {"replicas", pool.replicas},
          {"parallelism", {{"tensor", pool.tp}, {"data", pool.dp}, {"dataLocal", pool.dp}}},
          {"containers", Json::array({chart_container(pool, is_split, port)})},
          {"volumes", shm_volumes()}};
}

// Without it UCX sends KV blocks over TCP.
constexpr const char* kNoteOnRdma =
    "Add your cluster's RDMA resource (such as rdma/ib) to the limits of both kinds of pods, or KV "
    "blocks are sent over TCP.";

std::string notes_on_pods(const RecommendedDeployment& d) {
  if (!is_split(d)) return {};
  std::string notes = comment_lines(
      "The scheduler in front of the pods needs profiles for prefill and decode: it names the "
      "instance for each prompt, and the proxy beside the decode pod asks it.");
  notes += comment_lines(kNoteOnRdma);
  if (d.prefill->gpu != d.gpu) {
    notes += comment_lines(fmt::format("Add acceleratorTypes: prefill runs on {}, decode on {}.",
                                       d.prefill->gpu, d.gpu));
  }
  return notes;
}

// ---- Dynamo

constexpr const char* kImage = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.1";

Json frontend() {
  return {{"componentType", "frontend"},
          {"replicas", 1},
          {"extraPodSpec", {{"mainContainer", {{"image", kImage}}}}}};
}

/// `role`: "prefill" or "decode" of a split, else empty.
Json workers(const std::string& role, const std::string& model, const RecommendedPool& pool) {
  std::vector<std::string> args = serve_args(pool);
  Json out{{"componentType", "worker"}, {"replicas", pool.replicas}};
  if (!role.empty()) {
    out["subComponentType"] = role;
    args.insert(args.end(),
                {"--disaggregation-mode", role, "--kv-transfer-config", kTransferConfig});
  }
  out["envFromSecret"] = "hf-token-secret";
  out["resources"] = {{"limits", {{"gpu", std::to_string(pool.gpus_per_replica)}}}};
  const Json container{{"image", kImage},
                       {"command", pod_words({"python3", "-m", "dynamo.vllm", "--model", model})},
                       {"args", pod_words(args)}};
  out["extraPodSpec"] = {{"mainContainer", container}};
  return out;
}

std::string notes_on_graph(const RecommendedDeployment& d) {
  if (!is_split(d)) return {};
  std::string notes = comment_lines(
      "Workers for prefill send the first token themselves, sooner than was simulated unless the "
      "run has --pd-first-token prefill.");
  notes += comment_lines(kNoteOnRdma);
  if (d.prefill->gpu != d.gpu) {
    notes += comment_lines(fmt::format(
        "Add a nodeSelector to each: prefill runs on {}, decode on {}.", d.prefill->gpu, d.gpu));
  }
  return notes;
}

}  // namespace

std::string kubernetes_deployment(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  const Json app{{"app", name}};
  const Json pod{{"containers", Json::array({vllm_container(d)})}, {"volumes", shm_volumes()}};
  const Json spec{{"replicas", d.replicas},
                  {"selector", {{"matchLabels", app}}},
                  {"template", {{"metadata", {{"labels", app}}}, {"spec", pod}}}};
  return comment_lines(d.verdict) +
         commented("  kubectl apply -f deployment.yaml -f service.yaml") + note_on_nodes(d) +
         comment_lines("Secret hf-token, key token: for models that ask for one.") +
         notes_on_unset(d) + note_on_checkpoint(d) +
         yaml_of(manifest("apps/v1", "Deployment", name, spec));
}

std::string kubernetes_service(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  const Json port{{"name", "http"}, {"port", kServingPort}, {"targetPort", kServingPort}};
  return comment_lines(
             "One address for the pods of deployment.yaml. It picks a pod for each connection, not "
             "for each request.") +
         yaml_of(manifest("v1", "Service", name,
                          {{"selector", {{"app", name}}}, {"ports", Json::array({port})}}));
}

std::string llm_d_values(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  const Json labels{{"llm-d.ai/inferenceServing", "true"}, {"llm-d.ai/model", name}};
  // In a split each decode pod has a proxy beside it that sends prompts to instances for prefill.
  Json proxy{{"enabled", is_split(d)}};
  if (is_split(d)) proxy["connector"] = "nixlv2";
  const Json values{
      {"fullnameOverride", name},
      {"modelArtifacts",
       {{"name", checkpoint_of(d)},
        {"uri", "hf://" + checkpoint_of(d)},
        {"size", fmt::format("{:.0f}Gi", std::ceil(1.2 * d.weight_gib) + 1)},
        {"labels", labels}}},
      {"accelerator", {{"type", is_amd(d) ? "amd" : "nvidia"}}},
      {"routing", {{"servicePort", kServingPort}, {"proxy", proxy}}},
      {"decode", pods(d, is_split(d), is_split(d) ? kPortBehindProxy : kServingPort)},
      {"prefill", is_split(d) ? pods(*d.prefill, true, kServingPort) : Json{{"create", false}}}};
  return comment_lines(d.verdict) +
         comment_lines(
             "For the chart llm-d-modelservice v0.4.0, which adds --tensor-parallel-size:") +
         commented(
             "  helm repo add llm-d-modelservice "
             "https://llm-d-incubation.github.io/llm-d-modelservice/") +
         commented("  helm install " + name +
                   " llm-d-modelservice/llm-d-modelservice -f values.yaml") +
         comment_lines(
             "Models that ask for a token: name a secret with the key HF_TOKEN in "
             "modelArtifacts.authSecretName.") +
         notes_on_pods(d) + notes_on_unset(d) + note_on_checkpoint(d) + yaml_of(values);
}

std::string dynamo_graph(const RecommendedDeployment& d) {
  Json services{{"Frontend", frontend()}};
  if (is_split(d)) {
    services["VllmPrefillWorker"] = workers("prefill", checkpoint_of(d), *d.prefill);
    services["VllmDecodeWorker"] = workers("decode", checkpoint_of(d), d);
  } else {
    services["VllmWorker"] = workers("", checkpoint_of(d), d);
  }
  const Json graph{{"apiVersion", "nvidia.com/v1alpha1"},
                   {"kind", "DynamoGraphDeployment"},
                   {"metadata", {{"name", resource_name(d)}}},
                   {"spec", {{"services", services}}}};
  return comment_lines(d.verdict) +
         comment_lines("For Dynamo 1.0 on Kubernetes: kubectl apply -f graph.yaml") +
         comment_lines("Pods start only once this secret exists, whatever the model asks for:") +
         commented("  kubectl create secret generic hf-token-secret --from-literal=HF_TOKEN=...") +
         notes_on_graph(d) + notes_on_unset(d) + note_on_checkpoint(d) + yaml_of(graph);
}

}  // namespace plimsoll
