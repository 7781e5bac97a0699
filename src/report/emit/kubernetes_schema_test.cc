// Would Kubernetes take the manifests of a plan (apps/v1 Deployment, v1 Service), whatever its
// names hold?
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "hostile_text.h"
#include "kubernetes_leaves.h"
#include "report/emit/deployment_files.h"

namespace plimsoll {
namespace {

using test::Leaf;
using test::Leaves;
using test::wrong_leaves;
using Type = test::LeafType;

// Of one container as of each: "[]" stands for the elements of a list.
const std::string kPod = "spec.template.spec.";
const std::string kContainer = kPod + "containers[].";

Leaves deployment_leaves() {
  return {{"apiVersion", {Type::constant, "apps/v1"}},
          {"kind", {Type::constant, "Deployment"}},
          {"metadata.name", {Type::label}},
          {"spec.replicas", {Type::whole}},
          {"spec.selector.matchLabels.app", {Type::label}},
          {"spec.template.metadata.labels.app", {Type::label}},
          {kContainer + "name", {Type::label}},
          {kContainer + "image", {Type::text}},
          {kContainer + "command[]", {Type::text}},
          {kContainer + "args[]", {Type::text}},
          {kContainer + "ports[].containerPort", {Type::whole}},
          {kContainer + "env[].name", {Type::constant, "HF_TOKEN"}},
          {kContainer + "env[].valueFrom.secretKeyRef.name", {Type::label}},
          {kContainer + "env[].valueFrom.secretKeyRef.key", {Type::text}},
          {kContainer + "env[].valueFrom.secretKeyRef.optional", {Type::truth}},
          {kContainer + "resources.limits.nvidia.com/gpu", {Type::whole}},
          {kContainer + "startupProbe.httpGet.path", {Type::text}},
          {kContainer + "startupProbe.httpGet.port", {Type::whole}},
          {kContainer + "startupProbe.periodSeconds", {Type::whole}},
          {kContainer + "startupProbe.failureThreshold", {Type::whole}},
          {kContainer + "readinessProbe.httpGet.path", {Type::text}},
          {kContainer + "readinessProbe.httpGet.port", {Type::whole}},
          {kContainer + "readinessProbe.periodSeconds", {Type::whole}},
          {kContainer + "readinessProbe.failureThreshold", {Type::whole}},
          {kContainer + "volumeMounts[].name", {Type::label}},
          {kContainer + "volumeMounts[].mountPath", {Type::text}},
          {kPod + "volumes[].name", {Type::label}},
          {kPod + "volumes[].emptyDir.medium", {Type::constant, "Memory"}}};
}

Leaves service_leaves() {
  return {{"apiVersion", {Type::constant, "v1"}},    {"kind", {Type::constant, "Service"}},
          {"metadata.name", {Type::label}},          {"spec.selector.app", {Type::label}},
          {"spec.ports[].name", {Type::label}},      {"spec.ports[].port", {Type::whole}},
          {"spec.ports[].targetPort", {Type::whole}}};
}

RC_GTEST_PROP(KubernetesSchema, takes_every_manifest, ()) {
  RecommendedDeployment d;
  d.model = "Model " + *hostile_text();
  d.name = *hostile_text();
  d.gpu = "H100 " + *hostile_text();
  d.replicas = *rc::gen::inRange(1, 99);
  d.gpus_per_replica = *rc::gen::inRange(1, 8);
  d.engine_args = {"--max-num-seqs", "128", "--speculative-config", *hostile_text(), "true"};
  d.run_command = "plimsoll run";
  for (const DeploymentFile& file : deployment_files("kubernetes", d)) {
    if (!file.name.ends_with(".yaml")) continue;
    const auto document = parse_spec(file.text, file.name);
    RC_ASSERT(document.has_value());
    const bool is_service = document->child("kind")->text == "Service";
    const auto leaves = is_service ? service_leaves() : deployment_leaves();
    std::set<std::string> found;
    RC_ASSERT(wrong_leaves(*document, "", leaves, &found) == "");
    RC_ASSERT(found.size() == leaves.size());
  }
}

}  // namespace
}  // namespace plimsoll
