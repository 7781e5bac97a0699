#include "validation/published_settings.h"

#include <algorithm>
#include <string>

namespace plimsoll {
namespace {

// benchmarks/single_node of SemiAnalysisAI/InferenceX (Apache-2.0): dsr1_* for DeepSeek-R1,
// gptoss_* for gpt-oss-120b.
bool is_inferencex(const Case& measured) {
  return measured.source == "inferencex-silicon" && measured.workload.requests_per_concurrency;
}

bool is_blackwell(const GpuSpec& gpu) { return gpu.tflops_fp4 > 0; }

// On Blackwell the scheduler looks for new requests every 10 decode steps, from 16 requests at a
// time on every 30.
PublishedSettings sglang_of_inferencex(const CaseDeployment& d, const GpuSpec& gpu,
                                       std::int64_t concurrency) {
  constexpr std::int64_t kMany = 16;
  if (!is_blackwell(gpu)) return {.max_num_batched_tokens = 32'768};
  const bool is_fp4 = d.weight_dtype == "nvfp4";
  if (!is_fp4 && d.layout.tp == 4) return {10, 8192};
  return {concurrency < kMany ? 10 : 30, is_fp4 ? 16'384 : 32'768};
}

// dsr1_*_mtp.sh: of DeepSeek-R1 with the model's own draft. Results do not say which script they
// are of; since January 2026 those of 1.1.0rc2.post2 are, and all of 1.2.0rc6.post3.
std::int64_t draft_tokens_of(const Case& measured, std::int64_t concurrency) {
  const CaseDeployment& d = measured.deployment;
  const auto point = std::ranges::find(measured.points, concurrency, &CasePoint::concurrency);
  const bool is_late = point != measured.points.end() && point->measured_on >= "2026";
  const bool has_draft =
      d.engine_version == "1.2.0rc6.post3" || (d.engine_version == "1.1.0rc2.post2" && is_late);
  if (!has_draft || d.model.find("DeepSeek-R1") == std::string::npos) return 0;
  return d.layout.dp > 1 ? 1 : 3;
}

// Steps of DeepSeek-R1 were longer by that than tables of 1.3 say, whatever their load: 65 us for
// each layer, on Hopper in all versions at hand, on Blackwell before 1.2. Servers whose version is
// not stated had 1.1.0rc2.post2 (.github/configs/master.yaml at 78f6b8d2).
double added_ms_of_deepseek(const Case& measured, const GpuSpec& gpu) {
  constexpr double kAdded = 4;
  const CaseDeployment& d = measured.deployment;
  const bool is_old = d.engine_version.empty() || d.engine_version.rfind("1.1.", 0) == 0;
  const bool adds = gpu.kernels == "hopper" || (is_old && !d.split);
  return adds && d.model.find("DeepSeek-R1") != std::string::npos ? kAdded : 0;
}

// The prompt of one request and the decodes of all; later scripts take 8,192 tokens at least.
PublishedSettings trtllm_of_inferencex(const Case& measured, const GpuSpec& gpu,
                                       std::int64_t concurrency) {
  if (measured.deployment.model.find("gpt-oss") != std::string::npos) {
    return {.max_num_batched_tokens = 20'000, .whole_prompts = true, .narrow_kv = true};
  }
  constexpr std::int64_t kMore = 64;
  std::int64_t tokens = concurrency + measured.workload.input.most + kMore;
  tokens = (tokens + kMore - 1) / kMore * kMore;
  if (measured.deployment.engine_version.rfind("1.2.0rc6", 0) == 0) {
    tokens = std::max<std::int64_t>(tokens, 8192);
  }
  return {.max_num_batched_tokens = tokens,
          .whole_prompts = true,
          .narrow_kv = true,
          .draft_tokens = draft_tokens_of(measured, concurrency),
          .added_ms_per_step = added_ms_of_deepseek(measured, gpu)};
}

// AIConfigurator (Apache-2.0) measured its own predictions with `aiconfigurator eval`, which has
// the servers that its generator writes (src/aiconfigurator/generator) answer a client with
// threads: ten requests of one length for each stream, after a warm-up.
bool is_gap_analysis(const Case& measured) {
  return measured.source == "inferencex-silicon" && !measured.workload.requests_per_concurrency;
}

// Tokens beside the prompt of one request for which a step of these servers has room.
constexpr std::int64_t kMoreOfGapAnalysis = 1500;

// rule_plugin/benchmark/sglang.rule: --max-prefill-tokens.
PublishedSettings sglang_of_gap_analysis(const Case& measured) {
  return {.scheduler_recv_interval = 1,
          .max_num_batched_tokens = measured.workload.input.most + kMoreOfGapAnalysis,
          .whole_prompts = true,
          .streams_begin_together = true};
}

// rule_plugin/benchmark/trtllm.rule, extra_engine_args.1.0.0rc3.yaml.j2. Why one place stays empty
// is not known, nor why kernels of 1.3.0rc1 are launched one by one:
// docs/explanation/accuracy-limits.md.
PublishedSettings trtllm_of_gap_analysis(const Case& measured, const ModelConfig& model,
                                         std::int64_t concurrency) {
  const std::string& version = measured.deployment.engine_version;
  PublishedSettings out;
  out.cuda_graphs = version.rfind("1.3.", 0) != 0;
  if (version.rfind("1.0.", 0) != 0) return out;
  out.max_num_batched_tokens = concurrency + measured.workload.input.most + kMoreOfGapAnalysis;
  out.whole_prompts = true;
  out.overlap = false;
  out.idle_places = model.is_moe() || concurrency == 1 ? 0 : 1;
  out.streams_begin_together = true;
  return out;
}

// As in all servers that NVIDIA publishes for ranks (attention_dp_config: enable_balance,
// timeout_iters 60).
constexpr std::int64_t kPromptWait = 60;

// ServerArgs._handle_gpu_memory_settings() of SGLang.
std::int64_t usual_chunk_of_sglang(const GpuSpec& gpu) {
  return gpu.memory_gib >= 150 ? 16'384 : 8192;
}

// Recipes of NVIDIA/srt-slurm (Apache-2.0), recipes/gb200-fp4 and -fp8: where decoding workers have
// no ranks, they look for new requests every 10 steps.
Result<PublishedSettings> of_split(const Case& measured, Engine engine, const GpuSpec& gpu,
                                   std::int64_t concurrency) {
  const CaseDeployment& d = measured.deployment;
  PublishedSettings out;
  TRY_SET(out.split, published_split(measured, engine, gpu, concurrency));
  if (engine == Engine::trtllm) {
    out.added_ms_per_step = added_ms_of_deepseek(measured, gpu);
    out.narrow_kv = true;
  }
  const bool has_ranks =
      d.split->decode.layout.dp > 1 && !(out.split && out.split->decode_ranks == 1);
  const bool waits = engine == Engine::sglang && gpu.name == "GB200" && !has_ranks;
  if (waits) out.scheduler_recv_interval = 10;
  return out;
}

}  // namespace

Result<PublishedSettings> published_settings(const Case& measured, Engine engine,
                                             const ModelConfig& model, const GpuSpec& gpu,
                                             std::int64_t concurrency) {
  if (measured.deployment.split) return of_split(measured, engine, gpu, concurrency);
  const bool known = is_inferencex(measured);
  if (engine == Engine::sglang) {
    if (is_gap_analysis(measured)) return sglang_of_gap_analysis(measured);
    return known ? sglang_of_inferencex(measured.deployment, gpu, concurrency)
                 : PublishedSettings{.max_num_batched_tokens = usual_chunk_of_sglang(gpu)};
  }
  if (engine != Engine::trtllm) return PublishedSettings{};
  PublishedSettings all;
  if (known) all = trtllm_of_inferencex(measured, gpu, concurrency);
  if (is_gap_analysis(measured)) all = trtllm_of_gap_analysis(measured, model, concurrency);
  if (measured.deployment.layout.dp > 1) all.prompt_wait_steps = kPromptWait;
  return all;
}

}  // namespace plimsoll
