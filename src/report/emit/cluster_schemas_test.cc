// Would the chart llm-d-modelservice v0.4.0 and the operator of Dynamo 1.0 take the files of a
// split plan, whatever its names hold? The tables are what is emitted of values.schema.json,
// values.yaml and _helpers.tpl of the chart (github.com/llm-d-incubation/llm-d-modelservice,
// charts/llm-d-modelservice), and of DynamoGraphDeployment v1alpha1 (github.com/ai-dynamo/dynamo,
// deploy/operator/api/v1alpha1: dynamographdeployment_types.go, dynamocomponentdeployment_types.go,
// common.go). The chart refuses keys that it does not know at its top, in accelerator,
// modelArtifacts and routing; Kubernetes drops such keys of a graph without a word.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "hostile_text.h"
#include "kubernetes_leaves.h"
#include "report/emit/deployment_files.h"

namespace plimsoll {
namespace {

using test::Leaves;
using test::wrong_leaves;
using Type = test::LeafType;

void add_probe(const std::string& name, Leaves* leaves) {
  (*leaves)[name + ".httpGet.path"] = {Type::text};
  (*leaves)[name + ".httpGet.port"] = {Type::whole};
  (*leaves)[name + ".periodSeconds"] = {Type::whole};
  (*leaves)[name + ".failureThreshold"] = {Type::whole};
}

// `parallelism` becomes --tensor-parallel-size and --data-parallel-size; GPUs that are asked for
// stand as they are (llm-d-modelservice.resources). Probes pass through extraConfig.
void add_pods(const std::string& side, bool is_split, Leaves* leaves) {
  const std::string c = side + ".containers[].";
  leaves->insert({{side + ".create", {Type::truth}},
                  {side + ".replicas", {Type::whole}},
                  {side + ".parallelism.tensor", {Type::whole}},
                  {side + ".parallelism.data", {Type::whole}},
                  {side + ".parallelism.dataLocal", {Type::whole}},
                  {side + ".volumes[].name", {Type::label}},
                  {side + ".volumes[].emptyDir.medium", {Type::constant, "Memory"}},
                  {c + "name", {Type::label}},
                  {c + "image", {Type::text}},
                  {c + "modelCommand", {Type::constant, "vllmServe"}},
                  {c + "args[]", {Type::text}},
                  {c + "resources.limits.nvidia.com/gpu", {Type::whole}},
                  {c + "resources.requests.nvidia.com/gpu", {Type::whole}},
                  {c + "mountModelVolume", {Type::truth}},
                  {c + "volumeMounts[].name", {Type::label}},
                  {c + "volumeMounts[].mountPath", {Type::text}}});
  add_probe(c + "extraConfig.startupProbe", leaves);
  add_probe(c + "extraConfig.readinessProbe", leaves);
  if (!is_split) return;
  leaves->insert({{c + "env[].name", {Type::constant, "VLLM_NIXL_SIDE_CHANNEL_HOST"}},
                  {c + "env[].valueFrom.fieldRef.fieldPath", {Type::constant, "status.podIP"}}});
}

Leaves chart_leaves(bool is_split) {
  Leaves leaves{{"fullnameOverride", {Type::label}},
                {"modelArtifacts.name", {Type::text}},
                {"modelArtifacts.uri", {Type::text}},
                {"modelArtifacts.size", {Type::constant, "1Gi"}},
                {"modelArtifacts.labels.llm-d.ai/inferenceServing", {Type::constant, "true"}},
                {"modelArtifacts.labels.llm-d.ai/model", {Type::label}},
                {"accelerator.type", {Type::constant, "nvidia"}},
                {"routing.servicePort", {Type::whole}},
                {"routing.proxy.enabled", {Type::truth}}};
  add_pods("decode", is_split, &leaves);
  if (is_split) {
    leaves["routing.proxy.connector"] = {Type::constant, "nixlv2"};
    add_pods("prefill", is_split, &leaves);
  } else {
    leaves["prefill.create"] = {Type::truth};
  }
  return leaves;
}

// GPUs of `resources` are text there (ResourceItem).
void add_component(const std::string& name, const char* type, const char* role, Leaves* leaves) {
  const std::string s = "spec.services." + name + ".";
  const std::string c = s + "extraPodSpec.mainContainer.";
  leaves->insert({{s + "componentType", {Type::constant, type}},
                  {s + "replicas", {Type::whole}},
                  {c + "image", {Type::text}}});
  if (std::string(type) == "frontend") return;
  leaves->insert({{s + "envFromSecret", {Type::label}},
                  {s + "resources.limits.gpu", {Type::constant, "4"}},
                  {c + "command[]", {Type::text}},
                  {c + "args[]", {Type::text}}});
  if (*role != '\0') (*leaves)[s + "subComponentType"] = {Type::constant, role};
}

Leaves graph_leaves(bool is_split) {
  Leaves leaves{{"apiVersion", {Type::constant, "nvidia.com/v1alpha1"}},
                {"kind", {Type::constant, "DynamoGraphDeployment"}},
                {"metadata.name", {Type::label}}};
  add_component("Frontend", "frontend", "", &leaves);
  if (is_split) {
    add_component("VllmPrefillWorker", "worker", "prefill", &leaves);
    add_component("VllmDecodeWorker", "worker", "decode", &leaves);
  } else {
    add_component("VllmWorker", "worker", "", &leaves);
  }
  return leaves;
}

RC_GTEST_PROP(ClusterSchemas, take_every_plan_split_or_not, (bool is_split)) {
  RecommendedDeployment d;
  d.model = "Model " + *hostile_text();
  d.name = *hostile_text();
  d.gpu = "H100 " + *hostile_text();
  d.replicas = *rc::gen::inRange(1, 99);
  d.gpus_per_replica = d.tp = 4;
  d.engine_args = {"--max-num-seqs", "128", "--speculative-config", *hostile_text(), "true"};
  d.run_command = "plimsoll run";
  if (is_split) d.prefill = d;
  for (const auto& [form, leaves] :
       {std::pair("llm-d", chart_leaves(is_split)), std::pair("dynamo", graph_leaves(is_split))}) {
    const DeploymentFile file = deployment_files(form, d).front();
    RC_ASSERT(file.name.ends_with(".yaml"));
    const auto document = parse_spec(file.text, file.name);
    RC_ASSERT(document.has_value());
    std::set<std::string> found;
    RC_ASSERT(wrong_leaves(*document, "", leaves, &found) == "");
    RC_ASSERT(found.size() == leaves.size());
  }
}

}  // namespace
}  // namespace plimsoll
