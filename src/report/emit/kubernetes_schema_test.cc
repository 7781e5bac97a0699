// Would Kubernetes take the manifests of a plan, whatever its names hold? Every leaf is held
// against the types of its API (OpenAPI of release 1.34: apps/v1 Deployment, v1 Service), of which
// the part that is emitted stands here: a leaf that is not in the table is one that nobody looked
// up.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "hostile_text.h"
#include "report/emit/deployment_files.h"
#include "spec/spec_node.h"

namespace plimsoll {
namespace {

// A text may hold anything, if YAML says that it is one.
enum class Type { label, whole, truth, text, constant };

struct Leaf {
  Type type;
  const char* value = "";  ///< of a constant
};

// Of one container as of each: "[]" stands for the elements of a list.
const std::string kPod = "spec.template.spec.";
const std::string kContainer = kPod + "containers[].";

std::map<std::string, Leaf> deployment_leaves() {
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

std::map<std::string, Leaf> service_leaves() {
  return {{"apiVersion", {Type::constant, "v1"}},    {"kind", {Type::constant, "Service"}},
          {"metadata.name", {Type::label}},          {"spec.selector.app", {Type::label}},
          {"spec.ports[].name", {Type::label}},      {"spec.ports[].port", {Type::whole}},
          {"spec.ports[].targetPort", {Type::whole}}};
}

bool is_of(const Leaf& leaf, const SpecNode& node) {
  static const std::regex label("[a-z]([-a-z0-9]{0,61}[a-z0-9])?");
  static const std::regex whole("[0-9]+");
  // What YAML takes for something else than a text unless it is quoted.
  static const std::regex other("|~|null|true|false|yes|no|on|off|[-+.0-9].*", std::regex::icase);
  const std::string& text = node.text;
  if (node.kind != SpecNode::Kind::scalar) return false;
  if (leaf.type == Type::whole) return !node.quoted && std::regex_match(text, whole);
  if (leaf.type == Type::truth) return !node.quoted && (text == "true" || text == "false");
  if (!node.quoted && std::regex_match(text, other)) return false;
  if (leaf.type == Type::label) return std::regex_match(text, label);
  return leaf.type == Type::text || text == leaf.value;
}

// The paths of leaves that the table lacks or that are of another type; notes those that it has.
std::string wrong_leaves(const SpecNode& node, const std::string& path,
                         const std::map<std::string, Leaf>& leaves, std::set<std::string>* found) {
  if (node.children.empty()) {
    const auto leaf = leaves.find(path);
    if (leaf == leaves.end() || !is_of(leaf->second, node)) return path + " = " + node.text + "\n";
    found->insert(path);
    return {};
  }
  std::string wrong;
  for (const SpecNode& child : node.children) {
    const bool is_list = node.kind == SpecNode::Kind::list;
    const std::string below = is_list        ? path + "[]"
                              : path.empty() ? child.key
                                             : path + "." + child.key;
    wrong += wrong_leaves(child, below, leaves, found);
  }
  return wrong;
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
