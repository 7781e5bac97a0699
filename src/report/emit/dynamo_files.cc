// A graph of NVIDIA Dynamo 1.0: the custom resource DynamoGraphDeployment of API
// nvidia.com/v1alpha1 (docs.nvidia.com/dynamo, "API Reference"; examples/backends/vllm/deploy of
// ai-dynamo/dynamo).
#include <fmt/format.h>

#include "report/emit/deployment_files.h"
#include "report/form/text_report.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

constexpr const char* kImage = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.1";

// Up to the arguments of its container, which is left open with its pod.
void begin_service(YamlWriter* yaml, const char* name, const char* type, std::int64_t replicas) {
  yaml->open(name);
  yaml->text("componentType", type);
  yaml->integer("replicas", replicas);
}

void begin_container(YamlWriter* yaml) {
  yaml->open("extraPodSpec");
  yaml->open("mainContainer");
  yaml->text("image", kImage);
}

void end_service(YamlWriter* yaml) {
  yaml->close();
  yaml->close();
  yaml->close();
}

void put_frontend(YamlWriter* yaml) {
  begin_service(yaml, "Frontend", "frontend", 1);
  begin_container(yaml);
  end_service(yaml);
}

/// `role`: "prefill" or "decode" of a split, else empty.
void put_workers(YamlWriter* yaml, const char* name, const std::string& role,
                 const std::string& model, const RecommendedPool& pool) {
  begin_service(yaml, name, "worker", pool.replicas);
  if (!role.empty()) yaml->text("subComponentType", role);
  yaml->text("envFromSecret", "hf-token-secret");
  yaml->open("resources");
  yaml->open("limits");
  yaml->text("gpu", std::to_string(pool.gpus_per_replica));
  yaml->close();
  yaml->close();
  begin_container(yaml);
  put_words(yaml, "command", {"python3", "-m", "dynamo.vllm", "--model", model});
  std::vector<std::string> args = serve_args(pool);
  if (!role.empty()) {
    args.insert(args.end(),
                {"--disaggregation-mode", role, "--kv-transfer-config", kTransferConfig});
  }
  put_words(yaml, "args", args);
  end_service(yaml);
}

std::string notes_on_graph(const RecommendedDeployment& d) {
  if (!is_split(d)) return {};
  std::string notes = comment_lines(
      "Workers for prefill send the first token themselves, sooner than was simulated unless the "
      "run has --pd-first-token prefill.");
  if (d.prefill->gpu != d.gpu) {
    notes += comment_lines(fmt::format(
        "Add a nodeSelector to each: prefill runs on {}, decode on {}.", d.prefill->gpu, d.gpu));
  }
  return notes;
}

}  // namespace

std::string dynamo_graph(const RecommendedDeployment& d) {
  YamlWriter yaml;
  yaml.text("apiVersion", "nvidia.com/v1alpha1");
  yaml.text("kind", "DynamoGraphDeployment");
  yaml.open("metadata");
  yaml.text("name", resource_name(d));
  yaml.close();
  yaml.open("spec");
  yaml.open("services");
  put_frontend(&yaml);
  if (is_split(d)) {
    put_workers(&yaml, "VllmPrefillWorker", "prefill", d.model, *d.prefill);
    put_workers(&yaml, "VllmDecodeWorker", "decode", d.model, d);
  } else {
    put_workers(&yaml, "VllmWorker", "", d.model, d);
  }
  yaml.close();
  yaml.close();
  return comment_lines(d.verdict) +
         comment_lines("For Dynamo 1.0 on Kubernetes: kubectl apply -f graph.yaml") +
         comment_lines("Secret hf-token-secret, key HF_TOKEN: for models that ask for one.") +
         notes_on_graph(d) + notes_on_unset(d) + yaml.take();
}

}  // namespace plimsoll
