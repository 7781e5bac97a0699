#include "validation/case_simulation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/numbers.h"
#include "catalog/catalog.h"
#include "catalog/kernels.h"
#include "catalog/served_as.h"
#include "perf/draft_head.h"
#include "perf/kv_capacity.h"
#include "perf/parallelism.h"
#include "perf/speculation.h"
#include "validation/case_layout.h"
#include "validation/host_time.h"
#include "validation/published_settings.h"

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
// memory. Those for TensorRT-LLM do on Hopper, too.
ModelConfig served(const CaseDeployment& d, const ModelConfig& model, const GpuSpec& gpu,
                   bool narrow_kv, std::vector<CaseAssumption>* assumptions) {
  ModelConfig out = served_as(model, d.weight_dtype);
  if (!d.expert_weight_dtype.empty()) {
    out.quantization.experts = served_as(model, d.expert_weight_dtype).quantization.experts;
  }
  if (!d.kv_dtype.empty()) return with_kv_cache(std::move(out), d.kv_dtype);
  const bool is_usual = gpu.tflops_fp4 > 0 && is_narrow(out);
  if (out.quantization.kv_bytes < 2 || !(is_usual || narrow_kv)) return out;
  assumptions->push_back(
      {"deployment.kv_dtype", "not stated: fp8, as published recipes for narrow weights have it"});
  return with_kv_cache(std::move(out), "fp8");
}

void note(const std::string& key, const std::string& text, std::vector<CaseAssumption>* all) {
  add_once(all, {key, text});
}

Result<std::int64_t> kv_blocks_of(const CaseDeployment& d, const LatencyInputs& inputs,
                                  const EngineConfig& engine) {
  const std::int64_t ranks = inputs.parallelism.dp;
  if (d.kv_blocks) return *d.kv_blocks * ranks;
  KvSettings settings;
  settings.block_size = d.block_size;
  settings.gpu_memory_utilization = d.gpu_memory_utilization.value_or(0.9);
  settings.max_num_seqs = ceil_div(engine.max_num_seqs, ranks);
  settings.max_num_batched_tokens = engine.max_num_batched_tokens / (ranks * inputs.parallelism.pp);
  settings.no_hybrid_cache = d.split && inputs.engine == Engine::vllm;
  TRY(capacity, kv_capacity(inputs.model, inputs.gpu, inputs.parallelism, settings));
  return capacity.total_blocks;
}

/// What all instances of a case have in common.
struct Common {
  const Case& measured;
  LatencyInputs inputs;  ///< but for the layout
  const std::string& latency_model;
  const Calibration* calibration;
  std::int64_t concurrency;
  PublishedSettings published;
};

// SGLang's prompts go before decodes, in steps of their own. Of a split they are alone anyway.
bool is_whole_sglang(const Common& common) {
  return common.inputs.engine == Engine::sglang && !common.measured.deployment.split;
}

EngineConfig engine_of(const Common& common, const Parallelism& layout, PoolRole role) {
  const CaseDeployment& d = common.measured.deployment;
  const std::int64_t ranks = layout.dp * layout.pp;
  const bool large = is_large(common.inputs.gpu);
  const PublishedSettings& published = common.published;
  EngineConfig engine;
  std::int64_t seqs = common.concurrency > 0 ? common.concurrency - published.idle_places
                      : large                ? 1024
                                             : 256;
  std::int64_t tokens = published.max_num_batched_tokens.value_or(large ? 8192 : 2048);
  bool whole_prompts = published.whole_prompts;
  if (const auto& recipe = published.split; recipe && role == PoolRole::decode) {
    seqs = recipe->decode_places;
  } else if (recipe) {
    seqs = recipe->prompts.max_num_seqs;
    tokens = recipe->prompts.max_num_batched_tokens;
    whole_prompts = recipe->whole_prompts;
  }
  engine.max_num_seqs = d.max_num_seqs.value_or(seqs) * layout.dp;
  engine.max_num_batched_tokens = d.max_num_batched_tokens.value_or(tokens) * ranks;
  engine.prompt_wait_steps = published.prompt_wait_steps;
  if (is_whole_sglang(common)) {
    engine.batching_rule = "sglang";
    engine.parameters["scheduler-recv-interval"] =
        static_cast<double>(d.scheduler_recv_interval.value_or(published.scheduler_recv_interval));
  }
  engine.chunked_prefill = d.chunked_prefill && !whole_prompts;
  if (!d.chunked_prefill && !d.max_num_batched_tokens) {
    const std::int64_t longest = d.max_model_len.value_or(common.inputs.model.max_model_len);
    engine.max_num_batched_tokens = std::max(engine.max_num_batched_tokens, longest * ranks);
  }
  engine.block_size = d.block_size;
  engine.prefix_caching = d.prefix_caching;
  engine.max_model_len = d.max_model_len.value_or(0);
  return engine;
}

// What was taken from scripts of the publisher, or is usual.
void note_published(const Common& common, const Parallelism& layout, const EngineConfig& engine,
                    std::vector<CaseAssumption>* assumptions) {
  const CaseDeployment& d = common.measured.deployment;
  if (common.inputs.engine == Engine::vllm || d.split) return;
  const std::int64_t ranks = layout.dp * layout.pp;
  if (!d.max_num_batched_tokens) {
    note("deployment.max_num_batched_tokens",
         fmt::format("not stated: {}, as its publisher's scripts or the engine have it",
                     engine.max_num_batched_tokens / ranks),
         assumptions);
  }
  const auto interval = engine.parameters.find("scheduler-recv-interval");
  if (!d.scheduler_recv_interval && interval != engine.parameters.end()) {
    note("deployment.scheduler_recv_interval",
         fmt::format("not stated: {}, as its publisher's scripts or the engine have it",
                     *interval->second),
         assumptions);
  }
  if (common.published.idle_places > 0 && !d.max_num_seqs) {
    note("deployment.max_num_seqs",
         fmt::format("not stated: as many as requests at a time, of which {} stays empty",
                     common.published.idle_places),
         assumptions);
  }
  if (!common.published.overlap) {
    note("deployment.async_scheduling",
         "not stated: off, as in the settings that its publisher's tool writes", assumptions);
  }
  if (common.published.streams_begin_together) {
    note("workload.closed_loop",
         "not stated: ten requests for each stream, as in its publisher's tool", assumptions);
  }
  if (engine.prompt_wait_steps > 0) {
    note("deployment.data_parallel",
         fmt::format("prompts wait up to {} steps until each rank has one, which is not stated",
                     engine.prompt_wait_steps),
         assumptions);
  }
}

void widen(const ModelError& other, ModelError* error) {
  error->step = std::max(error->step, other.step);
  error->ttft = std::max(error->ttft, other.ttft);
  error->ttft_tail = std::max(error->ttft_tail, other.ttft_tail);
}

// Pools are added from the front of a request to its end; the last one says the regime.
Result<void> add_pool(const Common& common, PoolRole role, const CaseWorkers& workers,
                      CaseSetup* setup) {
  LatencyInputs inputs = common.inputs;
  inputs.only_prompts = role == PoolRole::prefill;
  TRY(layout, layout_of(workers.layout, inputs.model, &setup->assumptions));
  TRY(comm, moe_comm_of({}, inputs.model, layout, inputs.engine));
  layout.moe_comm = comm;
  inputs.parallelism = layout;
  const Calibration* calibration = common.calibration;
  TRY(step_time, calibration != nullptr ? make_calibrated(*calibration, inputs)
                                        : make_latency_model(common.latency_model, inputs));
  const HostTime host = host_of(common.published, inputs);
  if (common.latency_model == "kernel" && calibration == nullptr && host.any()) {
    step_time = with_host(std::move(step_time), host);
    note("deployment.engine_version", "steps are longer than those of present versions",
         &setup->assumptions);
  }
  if (common.latency_model == "kernel" && spans_nodes(inputs.gpu, layout)) {
    note("deployment.gpu", network_note(inputs.gpu, layout), &setup->assumptions);
  }
  Pool pool;
  pool.role = role;
  pool.num_instances = static_cast<std::int32_t>(workers.workers);
  pool.engine = engine_of(common, layout, role);
  note_published(common, layout, pool.engine, &setup->assumptions);
  TRY(blocks, kv_blocks_of(common.measured.deployment, inputs, pool.engine));
  pool.engine.total_kv_blocks = blocks;
  pool.step_time = std::move(step_time);
  pool.ranks = layout.dp;
  pool.gpu = inputs.gpu.name;
  pool.gpus = layout.gpus();
  TRY(bytes,
      kv_bytes_per_token_per_gpu(inputs.model, layout.tp, KvBudget::per_gpu, ModelShapes::exact));
  pool.kv.bytes_per_token = bytes / as_double(layout.pp);
  const ModelError error = setup->error;
  const bool is_law = calibration != nullptr && calibration->base == kNoBase;
  setup->error = is_law ? usual_error(Regime::unknown)
                        : model_error(inputs.model, inputs.gpu, layout, inputs.engine,
                                      role != PoolRole::serve);
  if (calibration != nullptr)
    setup->error = error_shown(*calibration, setup->error, is_same(calibration->layout, layout));
  widen(error, &setup->error);
  setup->deployment.pools.push_back(std::move(pool));
  return {};
}

// Over the links of the GPUs as far as these reach, else over the network.
KvTransfer transfer_of(const Deployment& deployment, const GpuSpec& gpu, std::int64_t layers) {
  std::int64_t gpus = 0;
  for (const Pool& pool : deployment.pools) gpus += pool.gpus * pool.num_instances;
  const bool together = gpus <= gpus_together(gpu);
  const double link = gpu.link_gb_s > 0 ? gpu.link_gb_s : gpu.pcie_gb_s;
  return KvTransfer{.gb_per_s = together && link > 0 ? link : network_gb_s(gpu), .layers = layers};
}

// Of DeepSeek, a layer like the last one, priced alone in a group of --tp as the host's time of
// these runs was fitted with (--speculation-preset has it in the layout of the model). Prompts that
// wait for steps wait for real ones, of which each yields several tokens.
void propose_tokens(Common* common, std::vector<CaseAssumption>* assumptions) {
  const std::int64_t tokens = common->published.draft_tokens;
  const Calibration* const calibration = common->calibration;
  const std::string& model = calibration != nullptr ? calibration->base : common->latency_model;
  if (tokens == 0 || model != "kernel") return;  // the others know no speculation
  Speculation speculation;
  speculation.acceptance.assign(static_cast<std::size_t>(tokens), kDraftAcceptance);
  speculation.draft = prediction_layer(common->inputs.model);
  const double waits = as_double(common->published.prompt_wait_steps);
  common->published.prompt_wait_steps = std::llround(waits * tokens_per_step(speculation));
  common->inputs.speculation = speculation;
  note("deployment.speculation",
       fmt::format("not stated: {} tokens ahead by the model's own draft, as in its publisher's "
                   "scripts; {} of them accepted if those before were",
                   tokens, kDraftAcceptance),
       assumptions);
}

// A client's own work for its streams goes before each of its first tokens.
void delay_clients(const StepOverheads& overheads, double factor, CaseSetup* setup) {
  setup->client_steps = factor * overheads.closed_loop_steps;
  setup->client_ms_per_stream = factor * overheads.closed_loop_per_stream / 1e3;
}

}  // namespace

Result<CaseSetup> deploy(const Case& measured, const ModelConfig& model, Sampling sampling,
                         const std::string& latency_model, const Calibration* calibration,
                         std::int64_t concurrency, std::optional<StepPart> slower) {
  const CaseDeployment& d = measured.deployment;
  TRY(gpu, find_gpu(d.gpu, SemanticsMode::vllm));
  CaseSetup setup;
  const Engine engine = engine_of(d.engine).value_or(Engine::vllm);
  TRY(published, published_settings(measured, engine, model, gpu, concurrency));
  Common common{
      measured,      {served(d, model, gpu, published.narrow_kv, &setup.assumptions), gpu, {}, {}},
      latency_model, calibration,
      concurrency,   published};
  if (d.cpu_kv_offload) {
    note("deployment.cpu_kv_offload", "not simulated: what leaves the KV cache is computed again",
         &setup.assumptions);
  }
  common.inputs.sampling = sampling;
  common.inputs.slower = slower;
  common.inputs.engine = engine;
  common.inputs.observer = measured.observed_by_client ? Observer::client : Observer::engine;
  propose_tokens(&common, &setup.assumptions);
  setup.deployment.pools.clear();
  if (d.split) {
    const CaseSplit split = as_run(*d.split, published.split, &setup.assumptions);
    TRY_TO(add_pool(common, PoolRole::prefill, split.prefill, &setup));
    TRY_TO(add_pool(common, PoolRole::decode, split.decode, &setup));
    setup.deployment.disaggregation.transfer = transfer_of(setup.deployment, gpu, model.layers);
  } else {
    TRY_TO(add_pool(common, PoolRole::serve, {d.instances, d.layout}, &setup));
  }
  if (!d.scorers.empty()) {
    setup.deployment.router = "weighted";
    setup.deployment.scorers = d.scorers;
  }
  if (published.split && published.split->gateways > 1) {
    setup.deployment.parameters["gateways"] = as_double(published.split->gateways);
  }
  setup.prompts_go_first = is_whole_sglang(common);
  setup.streams_begin_together = published.streams_begin_together;
  setup.semantics = Semantics::vllm();
  setup.semantics.asynchronous_scheduling = d.async_scheduling && published.overlap;
  if (measured.observed_by_client && !published.streams_begin_together) {
    TRY(overheads, read_step_overheads(d.split ? Engine::vllm : common.inputs.engine));
    delay_clients(overheads, slower == StepPart::host ? kSlower : 1, &setup);
  }
  // Until its decoding worker looks for it, nobody sends a request's prompt anywhere.
  if (d.split) setup.client_steps += as_double(published.scheduler_recv_interval - 1) / 2;
  return setup;
}

}  // namespace plimsoll
