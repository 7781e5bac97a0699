// Values of the chart llm-d-modelservice v0.4.0 (its values.yaml and examples/values-pd.yaml).
#include <cmath>

#include <fmt/format.h>

#include "base/quoting.h"
#include "report/emit/deployment_files.h"
#include "report/form/text_report.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

void put_artifacts(YamlWriter* yaml, const RecommendedDeployment& d, const std::string& name) {
  yaml->open("modelArtifacts");
  yaml->text("name", d.model);
  yaml->text("uri", "hf://" + d.model);
  yaml->text("size", fmt::format("{:.0f}Gi", std::ceil(1.2 * d.weight_gib) + 1));
  yaml->open("labels");
  yaml->text("llm-d.ai/inferenceServing", "true");
  yaml->text("llm-d.ai/model", name);
  yaml->close();
  yaml->close();
}

// Of a split each decode pod has a proxy beside it that sends prompts to instances for prefill.
void put_routing(YamlWriter* yaml, bool is_split) {
  yaml->open("routing");
  yaml->integer("servicePort", kServingPort);
  yaml->open("proxy");
  yaml->flag("enabled", is_split);
  if (is_split) yaml->text("connector", "nixlv2");
  yaml->close();
  yaml->close();
}

// By what address others ask this pod for KV blocks.
void put_side_channel(YamlWriter* yaml) {
  yaml->open("env");
  yaml->begin_item();
  yaml->text("name", "VLLM_NIXL_SIDE_CHANNEL_HOST");
  yaml->open("valueFrom");
  yaml->open("fieldRef");
  yaml->text("fieldPath", "status.podIP");
  yaml->close();
  yaml->close();
  yaml->end_item();
  yaml->close();
}

void put_container(YamlWriter* yaml, const RecommendedPool& pool, bool is_split) {
  yaml->begin_item();
  yaml->text("name", "vllm");
  yaml->text("image",
             is_amd(pool) ? "ghcr.io/llm-d/llm-d-rocm:v0.5.0" : "ghcr.io/llm-d/llm-d-cuda:v0.5.0");
  yaml->text("modelCommand", "vllmServe");
  std::vector<std::string> args = pool.engine_args;
  if (pool.pp > 1) args.insert(args.end(), {"--pipeline-parallel-size", std::to_string(pool.pp)});
  if (is_split) args.insert(args.end(), {"--kv-transfer-config", kTransferConfig});
  put_words(yaml, "args", args);
  if (is_split) put_side_channel(yaml);
  yaml->open("resources");
  for (const char* bound : {"limits", "requests"}) {
    yaml->open(bound);
    yaml->integer(gpu_resource(pool), pool.gpus_per_replica);
    yaml->close();
  }
  yaml->close();
  yaml->flag("mountModelVolume", true);
  yaml->end_item();
}

void put_pool(YamlWriter* yaml, const char* key, const RecommendedPool& pool, bool is_split) {
  yaml->open(key);
  yaml->flag("create", true);
  yaml->integer("replicas", pool.replicas);
  yaml->open("parallelism");
  yaml->integer("tensor", pool.tp);
  yaml->integer("data", pool.dp);
  yaml->integer("dataLocal", pool.dp);
  yaml->close();
  yaml->open("containers");
  put_container(yaml, pool, is_split);
  yaml->close();
  yaml->close();
}

std::string notes_on_pods(const RecommendedDeployment& d) {
  if (!is_split(d)) return {};
  std::string notes = comment_lines(
      "The scheduler in front of the pods needs profiles for prefill and decode: it names the "
      "instance for each prompt, and the proxy beside the decode pod asks it.");
  if (d.prefill->gpu != d.gpu) {
    notes += comment_lines(fmt::format("Add acceleratorTypes: prefill runs on {}, decode on {}.",
                                       d.prefill->gpu, d.gpu));
  }
  return notes;
}

}  // namespace

std::string llm_d_values(const RecommendedDeployment& d) {
  const std::string name = resource_name(d);
  YamlWriter yaml;
  yaml.text("fullnameOverride", name);
  put_artifacts(&yaml, d, name);
  yaml.open("accelerator");
  yaml.text("type", is_amd(d) ? "amd" : "nvidia");
  yaml.close();
  put_routing(&yaml, is_split(d));
  put_pool(&yaml, "decode", d, is_split(d));
  if (is_split(d)) {
    put_pool(&yaml, "prefill", *d.prefill, true);
  } else {
    yaml.open("prefill");
    yaml.flag("create", false);
    yaml.close();
  }
  return comment_lines(d.verdict) +
         comment_lines(
             "For the chart llm-d-modelservice v0.4.0, which adds --tensor-parallel-size:") +
         commented("  helm install " + name +
                   " llm-d-modelservice/llm-d-modelservice -f values.yaml") +
         notes_on_pods(d) + notes_on_unset(d) + yaml.take();
}

}  // namespace plimsoll
