#include <fmt/format.h>

#include "report/emit/deployment_files.h"
#include "report/form/text_report.h"
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
  return comment_lines(d.verdict) +
         comment_lines("Nodes: add a nodeSelector for " + d.gpu + ", such as your label " +
                       (is_amd(d) ? "amd.com/gpu.product-name." : "nvidia.com/gpu.product.")) +
         comment_lines("Secret hf-token, key token: for models that ask for one.") +
         notes_on_unset(d) + yaml.take();
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

}  // namespace plimsoll
