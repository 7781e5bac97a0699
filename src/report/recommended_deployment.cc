#include "report/recommended_deployment.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLongestName = 50;  // Kubernetes allows 63; replicas get an ending

// vLLM (docs, "Engine arguments"): fp8 is made of 16-bit weights at start; what is narrower or has
// scales per block is a checkpoint of its own.
constexpr const char* kQuantizedOnLoad = "fp8";

std::string vllm_cache_type(const std::string& type) {
  return type == "fp16" ? "float16" : type == "bf16" ? "bfloat16" : type;
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

std::string resource_name(const RecommendedDeployment& d) {
  return resource_name(d.name.empty() ? d.model : d.name);
}

bool is_amd(const RecommendedDeployment& d) { return d.gpu.starts_with("MI"); }

std::string gpu_resource(const RecommendedDeployment& d) {
  return is_amd(d) ? "amd.com/gpu" : "nvidia.com/gpu";
}

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

std::string commented(const std::string& text) { return "# " + text + "\n"; }

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

std::string model_line(const RecommendedDeployment& d) {
  return "[ -n \"$MODEL\" ] || MODEL=" + shell_quoted(d.model) + "\n";
}

void put_words(YamlWriter* yaml, std::string_view key, const std::vector<std::string>& words) {
  std::vector<std::string> entries;
  for (const std::string& word : words) entries.push_back(yaml_text(word));
  yaml->flow(key, "[", entries, "]");
}

}  // namespace plimsoll
