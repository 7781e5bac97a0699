#include "validation/case_simulation.h"

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "catalog/kernels.h"
#include "catalog/served_as.h"
#include "perf/kv_capacity.h"
#include "perf/parallelism.h"

namespace plimsoll {
namespace {

// vLLM's own limits for its API server: generous where memory is (vllm/engine/arg_utils.py).
constexpr double kLargeMemoryGib = 70;

bool is_large(const GpuSpec& gpu) {
  return gpu.memory_gib >= kLargeMemoryGib && gpu.name.rfind("A100", 0) != 0;
}

bool is_narrow(const ModelConfig& model) {
  const Quantization& q = model.quantization;
  return q.attention.bytes < 2 || q.dense_mlp.bytes < 2 || (model.is_moe() && q.experts.bytes < 2);
}

// Published recipes for Blackwell (InferenceX's, for one) give narrow weights an 8-bit KV cache,
// and tables of their results leave it out: with 16 bits, half a dozen points would not fit in
// memory.
ModelConfig served(const CaseDeployment& d, const ModelConfig& model, const GpuSpec& gpu,
                   std::vector<CaseAssumption>* assumptions) {
  ModelConfig out = served_as(model, d.weight_dtype);
  if (!d.expert_weight_dtype.empty()) {
    out.quantization.experts = served_as(model, d.expert_weight_dtype).quantization.experts;
  }
  if (!d.kv_dtype.empty()) return with_kv_cache(std::move(out), d.kv_dtype);
  if (out.quantization.kv_bytes < 2 || gpu.tflops_fp4 == 0 || !is_narrow(out)) return out;
  assumptions->push_back({"deployment.kv_dtype",
                          "not stated: fp8, as recipes for narrow weights on Blackwell have it"});
  return with_kv_cache(std::move(out), "fp8");
}

void note_what_is_not_simulated(const CaseDeployment& d, const ModelConfig& model,
                                std::vector<CaseAssumption>* assumptions) {
  if (d.cpu_kv_offload) {
    assumptions->push_back(
        {"deployment.cpu_kv_offload", "not simulated: what leaves the KV cache is computed again"});
  }
  constexpr const char* kNoExperts = "of no effect: no layer has experts";
  if (model.is_moe()) return;
  if (d.ep.value_or(1) > 1) assumptions->push_back({"deployment.expert_parallel", kNoExperts});
  if (d.moe_tp.value_or(d.tp) != d.tp) {
    assumptions->push_back({"deployment.moe_tensor_parallel", kNoExperts});
  }
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
  TRY(capacity, kv_capacity(inputs.model, inputs.gpu, inputs.parallelism, settings));
  return capacity.total_blocks;
}

}  // namespace

Result<Parallelism> layout_of(const CaseDeployment& d, const ModelConfig& model) {
  Parallelism layout;
  layout.tp = d.tp;
  layout.pp = d.pp;
  layout.dp = d.dp;
  if (!model.is_moe()) return layout;
  const std::int64_t gpus = d.tp * d.dp;
  layout.ep = d.ep ? *d.ep : d.moe_tp ? std::max<std::int64_t>(gpus / *d.moe_tp, 1) : 1;
  const std::int64_t slices = d.moe_tp.value_or(std::max<std::int64_t>(gpus / layout.ep, 1));
  if (layout.ep * slices == gpus) return layout;
  return fail(ErrorKind::usage,
              fmt::format("expert_parallel {} x moe_tensor_parallel {} is not tensor_parallel {} x "
                          "data_parallel {}: experts lie on the same GPUs",
                          layout.ep, slices, d.tp, d.dp));
}

Result<CaseSetup> deploy(const Case& measured, const ModelConfig& model, Sampling sampling,
                         const std::string& latency_model, const Calibration* calibration,
                         std::int64_t concurrency) {
  const CaseDeployment& d = measured.deployment;
  TRY(gpu, find_gpu(d.gpu, SemanticsMode::vllm));
  TRY(layout, layout_of(d, model));
  CaseSetup setup;
  LatencyInputs inputs{served(d, model, gpu, &setup.assumptions), gpu, layout, {}};
  note_what_is_not_simulated(d, model, &setup.assumptions);
  inputs.sampling = sampling;
  inputs.engine = engine_of(d.engine).value_or(Engine::vllm);
  inputs.observer = measured.observed_by_client ? Observer::client : Observer::engine;
  TRY(step_time, calibration != nullptr ? make_calibrated(*calibration, inputs)
                                        : make_latency_model(latency_model, inputs));
  if (latency_model == "kernel" && spans_nodes(gpu, inputs.parallelism)) {
    setup.assumptions.push_back({"deployment.gpu", network_note(gpu, inputs.parallelism)});
  }
  TRY(overheads, read_step_overheads(inputs.engine));

  const std::int64_t ranks = inputs.parallelism.dp * inputs.parallelism.pp;
  EngineConfig& engine = setup.deployment.main().engine;
  const std::int64_t usual = concurrency > 0 ? concurrency : is_large(gpu) ? 1024 : 256;
  engine.max_num_seqs = d.max_num_seqs ? *d.max_num_seqs * inputs.parallelism.dp : usual;
  engine.max_num_batched_tokens =
      d.max_num_batched_tokens.value_or(is_large(gpu) ? 8192 : 2048) * ranks;
  // SGLang's prompts go before decodes, in steps of their own.
  if (inputs.engine == Engine::sglang) engine.batching_rule = "vllm-v0";
  engine.chunked_prefill = d.chunked_prefill;
  if (!d.chunked_prefill && !d.max_num_batched_tokens) {
    engine.max_num_batched_tokens = std::max(engine.max_num_batched_tokens,
                                             d.max_model_len.value_or(model.max_model_len) * ranks);
  }
  engine.block_size = d.block_size;
  engine.prefix_caching = d.prefix_caching;
  TRY(blocks, kv_blocks_of(d, inputs, engine));
  engine.total_kv_blocks = blocks;
  engine.max_model_len = d.max_model_len.value_or(0);
  setup.deployment.main().num_instances = static_cast<std::int32_t>(d.instances);
  setup.deployment.main().step_time = std::move(step_time);
  setup.semantics = Semantics::vllm();
  setup.semantics.asynchronous_scheduling = d.async_scheduling;
  if (measured.observed_by_client) {
    setup.client_steps = overheads.closed_loop_steps;
    setup.client_ms_per_stream = overheads.closed_loop_per_stream / 1e3;
  }
  setup.error = calibration != nullptr && calibration->base == kNoBase
                    ? error_of_law(*calibration)
                    : model_error(inputs.model, gpu, inputs.parallelism, inputs.engine);
  return setup;
}

}  // namespace plimsoll
