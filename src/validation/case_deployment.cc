#include "validation/case_deployment.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/kernels.h"
#include "catalog/served_as.h"
#include "perf/kv_capacity.h"

namespace plimsoll {
namespace {

// vLLM's own limits for its API server: generous where memory is (vllm/engine/arg_utils.py).
constexpr double kLargeMemoryGib = 70;

bool is_large(const GpuSpec& gpu) {
  return gpu.memory_gib >= kLargeMemoryGib && gpu.name.rfind("A100", 0) != 0;
}

// InferenceX's recipes give Blackwell an 8-bit KV cache, which its tables leave out: with 16 bits
// half a dozen of their points would not fit into memory.
std::string kv_dtype_of(const Case& measured, const GpuSpec& gpu) {
  const std::string& stated = measured.deployment.kv_dtype;
  const bool unstated_recipe = measured.source == "inferencex-silicon" && gpu.tflops_fp4 > 0;
  return stated.empty() && unstated_recipe ? "fp8" : stated;
}

ModelConfig served(const Case& measured, const ModelConfig& model, const GpuSpec& gpu) {
  const CaseDeployment& d = measured.deployment;
  ModelConfig out = served_as(model, d.weight_dtype);
  if (!d.expert_weight_dtype.empty()) {
    out.quantization.experts = served_as(model, d.expert_weight_dtype).quantization.experts;
  }
  return with_kv_cache(std::move(out), kv_dtype_of(measured, gpu));
}

Result<std::int64_t> kv_blocks_of(const CaseDeployment& d, const LatencyInputs& inputs,
                                  const EngineConfig& engine) {
  const std::int64_t ranks = inputs.parallelism.dp;
  if (d.kv_blocks) return *d.kv_blocks * ranks;
  KvSettings settings;
  settings.block_size = d.block_size;
  settings.gpu_memory_utilization = d.gpu_memory_utilization.value_or(0.9);
  settings.max_num_seqs = (engine.max_num_seqs + ranks - 1) / ranks;
  settings.max_num_batched_tokens = engine.max_num_batched_tokens / (ranks * inputs.parallelism.pp);
  auto capacity = kv_capacity(inputs.model, inputs.gpu, inputs.parallelism, settings);
  if (!capacity) return pass_on(capacity);
  return capacity->total_blocks;
}

}  // namespace

Parallelism layout_of(const CaseDeployment& d, const ModelConfig& model) {
  Parallelism layout;
  layout.tp = d.tp;
  layout.pp = d.pp;
  layout.dp = d.dp;
  layout.ep = model.is_moe() ? std::min(d.ep, d.tp * d.dp) : 1;
  return layout;
}

Result<CaseSetup> deploy(const Case& measured, const ModelConfig& model, Sampling sampling,
                         const std::string& latency_model, const Calibration* calibration,
                         std::int64_t concurrency) {
  const CaseDeployment& d = measured.deployment;
  auto gpu = find_gpu(d.gpu, SemanticsMode::vllm);
  if (!gpu) return pass_on(gpu);
  LatencyInputs inputs{served(measured, model, *gpu), *gpu, layout_of(d, model), {}};
  inputs.sampling = sampling;
  inputs.observer = measured.observed_by_client ? Observer::client : Observer::engine;
  auto step_time = calibration != nullptr ? make_calibrated(*calibration, inputs)
                                          : make_latency_model(latency_model, inputs);
  if (!step_time) return pass_on(step_time);
  auto overheads = read_step_overheads();
  if (!overheads) return pass_on(overheads);

  const std::int64_t ranks = inputs.parallelism.dp * inputs.parallelism.pp;
  CaseSetup setup;
  EngineConfig& engine = setup.deployment.engine;
  const std::int64_t usual = concurrency > 0 ? concurrency : is_large(*gpu) ? 1024 : 256;
  engine.max_num_seqs = d.max_num_seqs ? *d.max_num_seqs * inputs.parallelism.dp : usual;
  engine.max_num_batched_tokens =
      d.max_num_batched_tokens.value_or(is_large(*gpu) ? 8192 : 2048) * ranks;
  engine.block_size = d.block_size;
  engine.prefix_caching = d.prefix_caching;
  auto blocks = kv_blocks_of(d, inputs, engine);
  if (!blocks) return pass_on(blocks);
  engine.total_kv_blocks = *blocks;
  engine.max_model_len = d.max_model_len.value_or(0);
  setup.deployment.num_instances = static_cast<std::int32_t>(d.instances);
  setup.deployment.step_time = std::move(*step_time);
  setup.semantics = Semantics::vllm();
  setup.semantics.asynchronous_scheduling = d.async_scheduling;
  if (measured.observed_by_client) {
    setup.client_steps = overheads->closed_loop_steps;
    setup.client_ms_per_stream = overheads->closed_loop_per_stream / 1e3;
  }
  setup.error = model_error(inputs.model, *gpu, inputs.parallelism);
  return setup;
}

}  // namespace plimsoll
