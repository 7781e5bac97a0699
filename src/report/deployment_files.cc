#include "report/deployment_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

constexpr const char* kPort = "8000";
constexpr std::size_t kLongestName = 50;  // Kubernetes allows 63; replicas get an ending

bool is_amd(const std::string& gpu) { return gpu.starts_with("MI"); }

std::string gpu_resource(const RecommendedDeployment& d) {
  return is_amd(d.gpu) ? "amd.com/gpu" : "nvidia.com/gpu";
}

std::string name_of(const RecommendedDeployment& d) {
  return resource_name(d.name.empty() ? d.model : d.name);
}

std::string commented(const std::string& text) { return "# " + text + "\n"; }

// vLLM (docs, "Engine arguments"): fp8 is made of 16-bit weights at start; what is narrower or has
// scales per block is a checkpoint of its own.
constexpr const char* kQuantizedOnLoad = "fp8";

std::string vllm_cache_type(const std::string& type) {
  return type == "fp16" ? "float16" : type == "bf16" ? "bfloat16" : type;
}

/// What all forms tell vLLM, but for the size of parallel groups.
std::vector<std::string> engine_args(const RecommendedDeployment& d) {
  std::vector<std::string> args{"--max-num-seqs",
                                std::to_string(d.max_num_seqs),
                                "--max-num-batched-tokens",
                                std::to_string(d.max_num_batched_tokens),
                                "--block-size",
                                std::to_string(d.block_size),
                                "--gpu-memory-utilization",
                                shortest(d.gpu_memory_utilization)};
  if (d.max_model_len) {
    args.insert(args.end(), {"--max-model-len", std::to_string(*d.max_model_len)});
  }
  if (d.expert_parallel) args.emplace_back("--enable-expert-parallel");
  if (d.quantization == kQuantizedOnLoad) {
    args.insert(args.end(), {"--quantization", d.quantization});
  }
  if (!d.kv_cache_dtype.empty()) {
    args.insert(args.end(), {"--kv-cache-dtype", vllm_cache_type(d.kv_cache_dtype)});
  }
  if (!d.prefix_caching) args.emplace_back("--no-enable-prefix-caching");
  if (!d.chunked_prefill) args.emplace_back("--no-enable-chunked-prefill");
  return args;
}

std::vector<std::string> serve_args(const RecommendedDeployment& d) {
  std::vector<std::string> args{"--tensor-parallel-size", std::to_string(d.tp)};
  const auto add = [&](const char* flag, std::int64_t size) {
    if (size > 1) args.insert(args.end(), {flag, std::to_string(size)});
  };
  add("--pipeline-parallel-size", d.pp);
  add("--data-parallel-size", d.dp);
  const std::vector<std::string> engine = engine_args(d);
  args.insert(args.end(), engine.begin(), engine.end());
  return args;
}

// What files cannot make the servers do.
std::string routing_note(const RecommendedDeployment& d) {
  std::string note;
  if (!d.quantization.empty() && d.quantization != kQuantizedOnLoad) {
    note += commented(fmt::format("The plan is for weights in {}: name a checkpoint that has them.",
                                  d.quantization));
  }
  if (d.replicas > 1) {
    note += commented(
        fmt::format("The plan's router is {}: the balancer in front should do alike.", d.router));
  }
  if (d.batching_rule != "vllm") {
    note +=
        commented(fmt::format("The plan's scheduler is {}; vLLM has its own.", d.batching_rule));
  }
  return note;
}

// MODEL wins, for names that the server spells otherwise.
std::string model_line(const RecommendedDeployment& d) {
  return "[ -n \"$MODEL\" ] || MODEL=" + shell_quoted(d.model) + "\n";
}

void list(YamlWriter* yaml, std::string_view key, const std::vector<std::string>& words) {
  std::vector<std::string> entries;
  for (const std::string& word : words) entries.push_back(yaml_text(word));
  yaml->flow(key, "[", entries, "]");
}

// ---- vllm

std::string gpu_numbers(const RecommendedDeployment& d, std::int64_t replica) {
  std::vector<std::string> numbers;
  for (std::int64_t i = 0; i < d.gpus_per_replica; ++i) {
    numbers.push_back(std::to_string(replica * d.gpus_per_replica + i));
  }
  return join(numbers, ",");
}

std::string serve_script(const RecommendedDeployment& d) {
  constexpr std::int64_t kShown = 2;
  std::string text =
      "#!/bin/sh\n" + commented(d.verdict) +
      commented("One replica, for vLLM 0.11. Start " + counted(d.replicas, "replica") +
                ", each on " + counted(d.gpus_per_replica, d.gpu + " GPU") + " of its own:");
  const char* visible = is_amd(d.gpu) ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  for (std::int64_t i = 0; i < std::min(d.replicas, kShown); ++i) {
    text +=
        commented(fmt::format("  {}={} PORT={} sh serve.sh", visible, gpu_numbers(d, i), 8000 + i));
  }
  if (d.replicas > kShown) text += commented("  ...");
  text += routing_note(d);
  text += model_line(d) + "exec vllm serve \"$MODEL\" --port \"${PORT:-" + kPort + "}\"";
  const std::vector<std::string> args = serve_args(d);
  for (const std::string& arg : args) {
    text += arg.starts_with("--") ? " \\\n  " + arg : " " + shell_quoted(arg);
  }
  return text + "\n";
}

// ---- Kubernetes

void probe(YamlWriter* yaml, std::string_view key, std::int64_t period_s, std::int64_t failures) {
  yaml->open(key);
  yaml->open("httpGet");
  yaml->text("path", "/health");
  yaml->integer("port", 8000);
  yaml->close();
  yaml->integer("periodSeconds", period_s);
  yaml->integer("failureThreshold", failures);
  yaml->close();
}

void labels(YamlWriter* yaml, std::string_view key, const std::string& name) {
  yaml->open(key);
  yaml->text("app", name);
  yaml->close();
}

void container(YamlWriter* yaml, const RecommendedDeployment& d) {
  yaml->begin_item();
  yaml->text("name", "vllm");
  yaml->text("image", is_amd(d.gpu) ? "rocm/vllm:rocm7.0.0_vllm_0.11.2_20251210"
                                    : "vllm/vllm-openai:v0.11.0");
  list(yaml, "command", {"vllm", "serve", d.model, "--port", kPort});
  list(yaml, "args", serve_args(d));
  yaml->open("ports");
  yaml->begin_item();
  yaml->integer("containerPort", 8000);
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

std::string kubernetes_deployment(const RecommendedDeployment& d) {
  const std::string name = name_of(d);
  YamlWriter yaml;
  yaml.text("apiVersion", "apps/v1");
  yaml.text("kind", "Deployment");
  yaml.open("metadata");
  yaml.text("name", name);
  yaml.close();
  yaml.open("spec");
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
         commented("Nodes: add a nodeSelector for " + d.gpu +
                   ", such as your label nvidia.com/gpu.product.") +
         commented("Secret hf-token, key token: for models that ask for one.") + routing_note(d) +
         yaml.take();
}

std::string kubernetes_service(const RecommendedDeployment& d) {
  const std::string name = name_of(d);
  YamlWriter yaml;
  yaml.text("apiVersion", "v1");
  yaml.text("kind", "Service");
  yaml.open("metadata");
  yaml.text("name", name);
  yaml.close();
  yaml.open("spec");
  labels(&yaml, "selector", name);
  yaml.open("ports");
  yaml.begin_item();
  yaml.text("name", "http");
  yaml.integer("port", 8000);
  yaml.integer("targetPort", 8000);
  yaml.end_item();
  yaml.close();
  yaml.close();
  return yaml.take();
}

// ---- llm-d

std::string llm_d_values(const RecommendedDeployment& d) {
  const std::string name = name_of(d);
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
  yaml.text("type", is_amd(d.gpu) ? "amd" : "nvidia");
  yaml.close();
  yaml.open("routing");
  yaml.integer("servicePort", 8000);
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
            is_amd(d.gpu) ? "ghcr.io/llm-d/llm-d-rocm:v0.5.0" : "ghcr.io/llm-d/llm-d-cuda:v0.5.0");
  yaml.text("modelCommand", "vllmServe");
  std::vector<std::string> args = engine_args(d);
  if (d.pp > 1) args.insert(args.end(), {"--pipeline-parallel-size", std::to_string(d.pp)});
  list(&yaml, "args", args);
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
         routing_note(d) + yaml.take();
}

// ---- what could refute it

std::string load_test(const RecommendedDeployment& d) {
  std::string text =
      "#!/bin/sh\n" + commented(d.verdict) +
      commented(
          "A figure outside its band refutes the plan. Bands: 90 % for a run "
          "of this length,") +
      commented(d.model_error > 0
                    ? fmt::format("times the error of the step times (+-{} of a step).",
                                  percent(d.model_error))
                    : "without any error of the step times: it is not known.") +
      commented(fmt::format("{:<22}{:>12}{:>12}{:>12}", "figure", "expected", "from", "to"));
  if (d.expected.empty()) text += commented("none: the run behind the plan has no intervals");
  for (const ExpectedFigure& f : d.expected) {
    text += commented(fmt::format("{:<22}{:>12}{:>12}{:>12}", f.metric, three_digits(f.value),
                                  three_digits(f.low), three_digits(f.high)));
  }
  text += commented(fmt::format("It takes about {:.0f} minutes. URL: where requests are balanced.",
                                std::ceil(static_cast<double>(d.requests) / d.rate_rps / 60)));
  return text + model_line(d) +
         fmt::format(
             "exec plimsoll observe --server-url \"${{URL:-http://localhost:{}}}\" \\\n"
             "  --model \"$MODEL\" --rate {} --num-requests {} \\\n"
             "  {} --output \"${{OUTPUT:-observed}}\" \"$@\"\n",
             kPort, shortest(d.rate_rps), d.requests, d.observe_flags);
}

std::string simulation(const RecommendedDeployment& d) {
  return "#!/bin/sh\n" + commented(d.verdict) + commented("The run behind the plan's figures.") +
         "exec " + d.run_command + " \"$@\"\n";
}

}  // namespace

std::string resource_name(const std::string& text) {
  std::string name;
  for (const char c : to_lower(text)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  name.resize(std::min(name.size(), kLongestName));
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "model" : name;
}

const std::vector<std::string>& deployment_forms() {
  static const std::vector<std::string> forms{"vllm", "kubernetes", "llm-d"};
  return forms;
}

std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& d) {
  std::vector<DeploymentFile> files;
  if (form == "vllm") files = {{"serve.sh", serve_script(d)}};
  if (form == "kubernetes") {
    files = {{"deployment.yaml", kubernetes_deployment(d)},
             {"service.yaml", kubernetes_service(d)}};
  }
  if (form == "llm-d") files = {{"values.yaml", llm_d_values(d)}};
  files.push_back({"load_test.sh", load_test(d)});
  files.push_back({"simulate.sh", simulation(d)});
  return files;
}

}  // namespace plimsoll
