#include "report/emit/deployment_files.h"

#include <cmath>

#include <fmt/format.h>

#include "spec/yaml_writer.h"

namespace plimsoll {

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
                   " llm-d-modelservice/llm-d-modelservice --values values.yaml") +
         notes_on_unset(d) + yaml.take();
}

}  // namespace plimsoll
