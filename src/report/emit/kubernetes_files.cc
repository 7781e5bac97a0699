#include <cmath>

#include <fmt/format.h>

#include "report/emit/deployment_files.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

void probe(YamlWriter* yaml, std::string_view key, std::int64_t period_s, std::int64_t failures) {
  yaml->open(key);
  yaml->open("httpGet");
  yaml->text("path", "/health");
  yaml->integer("port", kServingPort);
  yaml->close();
  yaml->integer("periodSeconds", period_s);
  yaml->integer("failureThreshold", failures);
  yaml->close();
}

// Up to its specification, which is left open.
void begin_manifest(YamlWriter* yaml, const char* api, const char* kind, const std::string& name) {
  yaml->text("apiVersion", api);
  yaml->text("kind", kind);
  yaml->open("metadata");
  yaml->text("name", name);
  yaml->close();
  yaml->open("spec");
}

void labels(YamlWriter* yaml, std::string_view key, const std::string& name) {
  yaml->open(key);
  yaml->text("app", name);
  yaml->close();
}

void container(YamlWriter* yaml, const RecommendedDeployment& d) {
  yaml->begin_item();
  yaml->text("name", "vllm");
  yaml->text("image",
             is_amd(d) ? "rocm/vllm:rocm7.0.0_vllm_0.11.2_20251210" : "vllm/vllm-openai:v0.11.0");
  put_words(yaml, "command", {"vllm", "serve", d.model, "--port", std::to_string(kServingPort)});
  put_words(yaml, "args", serve_args(d));
  yaml->open("ports");
  yaml->begin_item();
  yaml->integer("containerPort", kServingPort);
  yaml->end_item();
  yaml->close();
  yaml->open("env");
  yaml->begin_item();
  yaml->text("name", "HF_TOKEN");
  yaml->open("valueFrom");
  yaml->open("secretKeyRef");
  yaml->text("name", "hf-token");
  yaml->text("key", "token");
  yaml->flag("optional", true);
  yaml->close();
  yaml->close();
  yaml->end_item();
  yaml->close();
  yaml->open("resources");
  yaml->open("limits");
  yaml->integer(gpu_resource(d), d.gpus_per_replica);
  yaml->close();
  yaml->close();
  probe(yaml, "startupProbe", 10, 180);  // weights are loaded within half an hour
  probe(yaml, "readinessProbe", 5, 3);
  yaml->open("volumeMounts");
  yaml->begin_item();
  yaml->text("name", "shm");
  yaml->text("mountPath", "/dev/shm");
  yaml->end_item();
  yaml->close();
  yaml->end_item();
}

}  // namespace

std::string kubernetes_deployment(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  YamlWriter yaml;
  begin_manifest(&yaml, "apps/v1", "Deployment", name);
  yaml.integer("replicas", d.replicas);
  yaml.open("selector");
  labels(&yaml, "matchLabels", name);
  yaml.close();
  yaml.open("template");
  yaml.open("metadata");
  labels(&yaml, "labels", name);
  yaml.close();
  yaml.open("spec");
  yaml.open("containers");
  container(&yaml, d);
  yaml.close();
  yaml.open("volumes");
  yaml.begin_item();
  yaml.text("name", "shm");  // the processes of a tensor-parallel group talk through it
  yaml.open("emptyDir");
  yaml.text("medium", "Memory");
  yaml.close();
  yaml.end_item();
  yaml.close();
  yaml.close();
  yaml.close();
  yaml.close();
  return commented(d.verdict) +
         commented("Nodes: add a nodeSelector for " + d.gpu + ", such as your label " +
                   (is_amd(d) ? "amd.com/gpu.product-name." : "nvidia.com/gpu.product.")) +
         commented("Secret hf-token, key token: for models that ask for one.") + notes_on_unset(d) +
         yaml.take();
}

std::string kubernetes_service(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  YamlWriter yaml;
  begin_manifest(&yaml, "v1", "Service", name);
  labels(&yaml, "selector", name);
  yaml.open("ports");
  yaml.begin_item();
  yaml.text("name", "http");
  yaml.integer("port", kServingPort);
  yaml.integer("targetPort", kServingPort);
  yaml.end_item();
  yaml.close();
  yaml.close();
  return yaml.take();
}

std::string llm_d_values(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  YamlWriter yaml;
  yaml.text("fullnameOverride", name);
  yaml.open("modelArtifacts");
  yaml.text("name", d.model);
  yaml.text("uri", "hf://" + d.model);
  yaml.text("size", fmt::format("{:.0f}Gi", std::ceil(1.2 * d.weight_gib) + 1));
  yaml.open("labels");
  yaml.text("llm-d.ai/inferenceServing", "true");
  yaml.text("llm-d.ai/model", name);
  yaml.close();
  yaml.close();
  yaml.open("accelerator");
  yaml.text("type", is_amd(d) ? "amd" : "nvidia");
  yaml.close();
  yaml.open("routing");
  yaml.integer("servicePort", kServingPort);
  yaml.open("proxy");
  yaml.flag("enabled", false);
  yaml.close();
  yaml.close();
  yaml.open("decode");
  yaml.flag("create", true);
  yaml.integer("replicas", d.replicas);
  yaml.open("parallelism");
  yaml.integer("tensor", d.tp);
  yaml.integer("data", d.dp);
  yaml.integer("dataLocal", d.dp);
  yaml.close();
  yaml.open("containers");
  yaml.begin_item();
  yaml.text("name", "vllm");
  yaml.text("image",
            is_amd(d) ? "ghcr.io/llm-d/llm-d-rocm:v0.5.0" : "ghcr.io/llm-d/llm-d-cuda:v0.5.0");
  yaml.text("modelCommand", "vllmServe");
  std::vector<std::string> args = d.engine_args;
  if (d.pp > 1) args.insert(args.end(), {"--pipeline-parallel-size", std::to_string(d.pp)});
  put_words(&yaml, "args", args);
  yaml.open("resources");
  for (const char* bound : {"limits", "requests"}) {
    yaml.open(bound);
    yaml.integer(gpu_resource(d), d.gpus_per_replica);
    yaml.close();
  }
  yaml.close();
  yaml.flag("mountModelVolume", true);
  yaml.end_item();
  yaml.close();
  yaml.close();
  yaml.open("prefill");
  yaml.flag("create", false);
  yaml.close();
  return commented(d.verdict) +
         commented("For the chart llm-d-modelservice v0.4.0, which adds --tensor-parallel-size:") +
         commented("  helm install " + name +
                   " llm-d-modelservice/llm-d-modelservice -f values.yaml") +
         notes_on_unset(d) + yaml.take();
}

}  // namespace plimsoll
