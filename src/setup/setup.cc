#include "setup/setup.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "engine/batching_rule.h"
#include "perf/engine_rules.h"
#include "perf/kv_capacity.h"
#include "perf/latency_models.h"
#include "setup/calibrated.h"
#include "setup/chosen_model.h"
#include "setup/config_log.h"
#include "setup/engine_limits.h"
#include "setup/limits_log.h"
#include "setup/shared_steps.h"
#include "setup/split.h"

namespace plimsoll {
namespace {

Result<GpuSpec> choose_gpu(const RunSpec& run, const ChosenModel& model) {
  const std::string& name = run.hardware.gpu->empty() ? model.default_gpu : *run.hardware.gpu;
  if (name.empty()) {
    return fail(ErrorKind::usage, "which GPU? give --hardware", "`plimsoll list gpus` shows all");
  }
  if (!run.hardware.config.empty()) return read_hardware_config(run.hardware.config, name);
  return find_gpu(name, run.semantics);
}

// The rules on limits are those of vLLM's scheduler.
ModelPlacement placement_of(const RunSpec& run, const LatencyInputs& inputs,
                            const EngineConfig& engine) {
  const bool is_vllm =
      inputs.engine == Engine::vllm && engine.batching_rule == batching_rules().front().name;
  const StartLimits limits{engine.max_num_seqs, engine.max_num_batched_tokens,
                           run.engine.max_model_len.value_or(0)};
  return {inputs.model, inputs.gpu, inputs.parallelism, is_vllm ? limits : StartLimits{}};
}

// The reference simulator serves what vLLM refuses.
Result<void> check_rules(const RunSpec& run, const ModelPlacement& served) {
  if (run.semantics != SemanticsMode::vllm) return {};
  return check_engine_rules(served, run.engine.ignored_rules);
}

std::vector<std::string> notes_on_rules(const RunSpec& run, const ModelPlacement& served) {
  if (run.semantics != SemanticsMode::vllm) return {};
  return engine_rule_notes(served, run.engine.ignored_rules);
}

// Coefficients are given as a pair or not at all.
Result<void> check_coefficients(const RunSpec& run) {
  const bool alpha = !run.step_time.alpha_coeffs.empty();
  const bool beta = !run.step_time.beta_coeffs.empty();
  if (alpha != beta) {
    return fail(ErrorKind::usage, "--alpha-coeffs and --beta-coeffs must be given together",
                "for step times of your own: --latency-model blackbox --alpha-coeffs A,B,C "
                "--beta-coeffs A,B,C (docs/explanation/latency-models.md)");
  }
  if (alpha && run.step_time.latency_model == "roofline") {
    return fail(ErrorKind::usage, "--alpha-coeffs and --beta-coeffs do not go with roofline",
                "it computes its times from the model and the GPU alone");
  }
  return {};
}

Result<std::shared_ptr<const StepTimeModel>> choose_step_time(
    const RunSpec& run, LatencyInputs inputs, const std::optional<Calibration>& calibration) {
  if (calibration) return make_calibrated(*calibration, inputs);
  TRY_TO(check_coefficients(run));
  if (!run.step_time.alpha_coeffs.empty()) {
    inputs.coefficients = Coefficients{run.step_time.alpha_coeffs, run.step_time.beta_coeffs};
  }
  return make_latency_model(latency_model_name(run), inputs);
}

Parallelism parallelism_of(const RunSpec& run, const ChosenModel& model) {
  Parallelism parallelism;
  parallelism.tp = run.layout.tp.value_or(0);
  if (parallelism.tp == 0) parallelism.tp = std::max<std::int64_t>(model.default_tp, 1);
  parallelism.pp = run.layout.pp;
  parallelism.dp = run.layout.dp;
  if (run.layout.expert_parallel) parallelism.ep = parallelism.tp * parallelism.dp;
  if (run.layout.expert_parallel) parallelism.expert_imbalance = run.layout.expert_imbalance;
  return parallelism;
}

/// Fills in the length limit: --max-model-len or the model's own, at most what the cache holds.
/// Returns a note if the cache decides.
std::string limit_length(const RunSpec& run, const ModelConfig& model, EngineConfig* engine) {
  const std::int64_t asked = run.engine.max_model_len.value_or(0);
  // A request lives in one rank.
  const std::int64_t ranks = semantics_of(run).limits_are_per_rank ? *run.layout.dp : 1;
  const std::int64_t cache_tokens = engine->total_kv_blocks / ranks * engine->block_size;
  engine->max_model_len = asked > 0 ? asked : model.max_model_len;
  if (engine->max_model_len <= cache_tokens) return {};
  const std::int64_t wanted = std::exchange(engine->max_model_len, cache_tokens);
  return fmt::format(
      "the longest request is limited to {} tokens, all that the KV cache holds, instead of {}",
      cache_tokens, wanted);
}

void set_cluster(const RunSpec& run, Deployment* deployment) {
  deployment->admission = run.cluster.admission;
  deployment->tenant_budgets = run.cluster.tenant_budgets;
  deployment->flow_control = run.cluster.flow_control;
  deployment->router = run.cluster.router;
  deployment->scorers = run.cluster.routing_scorers;
  deployment->parameters = run.cluster.parameters;
  deployment->admission_latency = microseconds(run.cluster.admission_latency_us);
  deployment->routing_latency = microseconds(run.cluster.routing_latency_us);
  deployment->snapshot_refresh_interval = microseconds(run.cluster.snapshot_refresh_interval_us);
  deployment->cache_signal_delay = microseconds(run.cluster.cache_signal_delay_us);
}

// An instance is simulated as a whole, with the limits of all its ranks together.
void give_limits_to_each_rank(const RunSpec& run, EngineConfig* engine) {
  if (!semantics_of(run).limits_are_per_rank) return;
  engine->max_num_seqs *= run.layout.dp;
  engine->max_num_batched_tokens *= run.layout.dp * run.layout.pp;
}

std::string base_name(const RunSpec& run, const std::optional<Calibration>& calibration) {
  return calibration ? calibration->base : latency_model_name(run);
}

// A correction does not narrow the error of the model it corrects.
std::optional<ModelError> error_of_steps(const RunSpec& run, const LatencyInputs& inputs,
                                         const std::optional<Calibration>& calibration) {
  const std::string base = base_name(run, calibration);
  if (base == "kernel") {
    return model_error(inputs.model, inputs.gpu, inputs.parallelism, inputs.engine,
                       run.split.is_asked());
  }
  if (base == kNoBase) return error_of_law(*calibration);
  return std::nullopt;
}

// The other models know nothing of nodes.
bool prices_network(const RunSpec& run, const LatencyInputs& inputs,
                    const std::optional<Calibration>& calibration) {
  return base_name(run, calibration) == "kernel" && spans_nodes(inputs.gpu, inputs.parallelism);
}

std::vector<ConfigEntry> describe_core(const RunSpec& run, const ChosenModel& model,
                                       const LatencyInputs& inputs,
                                       const std::optional<Calibration>& calibration) {
  ConfigLog log;
  log.value("model", model.config.id, run.model.id, model.origin);
  if (!run.model.quantization.empty())
    log.value("quantization", run.model.quantization, run.model.quantization);
  if (!run.model.kv_cache_dtype->empty()) log.setting("kv-cache-dtype", run.model.kv_cache_dtype);
  log.value("hardware", inputs.gpu.name, run.hardware.gpu, "catalog");
  log.value("tp", inputs.parallelism.tp, run.layout.tp,
            model.default_tp > 0 ? "catalog" : "default");
  if (!run.split.is_asked()) log.setting("num-instances", run.cluster.num_instances);
  if (calibration) {
    log.fixed("latency-model", calibration->base, "calibration");
    log.fixed("calibrated", describe(*calibration), "calibration");
  } else {
    log.value("latency-model", latency_model_name(run), run.step_time.latency_model);
  }
  if (run.step_time.engine) {
    log.value("engine", std::string(name_of(inputs.engine)), run.step_time.engine);
  }
  if (prices_network(run, inputs, calibration)) {
    log.fixed("network-gb-s", network_gb_s(inputs.gpu),
              inputs.gpu.network_gb_s > 0 ? "file" : "assumed");
  }
  return log.take();
}

/// What a specification decides before anything is made of it.
struct Chosen {
  ChosenModel model;
  LatencyInputs inputs;
  std::optional<Calibration> calibration;
  std::shared_ptr<const StepTimeModel> step_time;
  EngineConfig engine;
  KvBlocks blocks;
};

Result<LatencyInputs> choose_inputs(const RunSpec& run, const ChosenModel& model) {
  TRY(gpu, choose_gpu(run, model));
  TRY(speculation, speculation_of(run));
  LatencyInputs inputs{model.config, gpu, parallelism_of(run, model), {}};
  inputs.shapes =
      semantics_of(run).exact_model_shapes ? ModelShapes::exact : ModelShapes::reference;
  inputs.sampling = run.step_time.sampling.value_or(model.sampling);
  inputs.engine = run.step_time.engine.value_or(Engine::vllm);
  TRY(comm,
      moe_comm_of(run.layout.moe_comm_backend, model.config, inputs.parallelism, inputs.engine));
  inputs.parallelism.moe_comm = comm;
  inputs.speculation = std::move(speculation);
  return inputs;
}

Result<Chosen> choose(const RunSpec& run, SharedSteps* shared, std::vector<std::string>* notes) {
  TRY(model, choose_model(run.model));
  TRY(inputs, choose_inputs(run, model));
  TRY(calibration, calibration_of(run, notes));
  const auto make_steps = [&] { return choose_step_time(run, inputs, calibration); };
  TRY(step_time, shared == nullptr ? make_steps() : shared->of(run, make_steps));
  TRY(engine, engine_limits(run, semantics_of(run), model.config));
  TRY_TO(check_rules(run, placement_of(run, inputs, engine)));
  TRY(blocks, choose_kv_blocks(run, engine, inputs));
  return Chosen{std::move(model),     std::move(inputs), std::move(calibration),
                std::move(step_time), std::move(engine), blocks};
}

void describe_hardware(const LatencyInputs& inputs, Setup* setup) {
  setup->gpu = inputs.gpu.name;
  setup->tdp_w = inputs.gpu.tdp_w;
  setup->gpus_per_machine = gpus_of_machine(inputs.gpu);
  setup->layout = inputs.parallelism;
}

/// Instances as they were chosen. `limits`: as vLLM's flags have them, of each data-parallel rank;
/// `on_length`: a note, or empty.
Result<Pool> make_pool(const RunSpec& run, PoolRole role, const Chosen& chosen,
                       std::string* on_length, EngineConfig* limits) {
  Pool pool;
  pool.role = role;
  const std::int64_t instances = role == PoolRole::serve     ? *run.cluster.num_instances
                                 : role == PoolRole::prefill ? *run.split.prefill_instances
                                                             : *run.split.decode_instances;
  pool.name = role == PoolRole::serve ? "" : role == PoolRole::prefill ? "prefill" : "decode";
  pool.num_instances = static_cast<std::int32_t>(instances);
  pool.engine = chosen.engine;
  pool.engine.total_kv_blocks = chosen.blocks.count;
  *on_length = limit_length(run, chosen.model.config, &pool.engine);
  *limits = pool.engine;
  give_limits_to_each_rank(run, &pool.engine);
  pool.step_time = chosen.step_time;
  // What a step reads is not known where its tokens are counted one by one.
  if (!chosen.inputs.speculation) {
    auto work = instance_work(chosen.model.config, chosen.inputs.gpu, chosen.inputs.parallelism);
    if (work) pool.work = std::move(*work);
  }
  pool.gpu = chosen.inputs.gpu.name;
  pool.gpus = chosen.inputs.parallelism.gpus();
  if (role == PoolRole::serve) return pool;
  const KvBudget budget =
      semantics_of(run).kv_budget_per_gpu ? KvBudget::per_gpu : KvBudget::summed;
  TRY(bytes, kv_bytes_per_token_per_gpu(chosen.inputs.model, chosen.inputs.parallelism.tp, budget,
                                        chosen.inputs.shapes));
  pool.kv_bytes_per_token = bytes;
  return pool;
}

// Its notes are those of the pool that answers.
Result<Pool> make_prefill_pool(const RunSpec& run, SharedSteps* shared,
                               std::optional<ModelError>* error) {
  const RunSpec own = run_of(run, PoolRole::prefill);
  std::vector<std::string> notes;
  TRY(chosen, choose(own, shared, &notes));
  *error = less_known_of(*error, error_of_steps(own, chosen.inputs, chosen.calibration));
  std::string on_length;
  EngineConfig limits;
  return make_pool(own, PoolRole::prefill, chosen, &on_length, &limits);
}

std::int64_t instances_of(const RunSpec& run) {
  return run.split.is_asked() ? run.split.prefill_instances + run.split.decode_instances
                              : *run.cluster.num_instances;
}

// After the deployment is complete; `on_length` may be empty.
void add_notes(const RunSpec& run, const Chosen& chosen, const EngineConfig& limits,
               const std::string& on_length, const std::vector<std::string>& on_profile,
               Setup* setup) {
  const auto add = [&](const std::vector<std::string>& notes) {
    setup->notes.insert(setup->notes.end(), notes.begin(), notes.end());
  };
  const LatencyInputs& inputs = chosen.inputs;
  if (!chosen.model.note.empty()) setup->notes.push_back(chosen.model.note);
  add(notes_on_rules(run, placement_of(run, inputs, chosen.engine)));
  if (!on_length.empty()) setup->notes.push_back(on_length);
  add(on_profile);
  add(notes_on_limits(run, limits));
  if (chosen.calibration) {
    const std::string note = extrapolation_note(*chosen.calibration, inputs.parallelism);
    if (!note.empty()) setup->notes.push_back(note);
  }
  if (prices_network(run, inputs, chosen.calibration)) {
    setup->notes.push_back(network_note(inputs.gpu, inputs.parallelism) +
                           " (NetworkGBs of --hardware-config)");
  }
}

}  // namespace

// One that is busy, as measured: requests, batch and blocks of its KV cache.
constexpr double kBytesOfInstance = 68e3;

Semantics semantics_of(const RunSpec& run) {
  Semantics semantics = Semantics::of(run.semantics);
  if (run.engine.no_async_scheduling) semantics.asynchronous_scheduling = false;
  return semantics;
}

std::string latency_model_name(const RunSpec& run) {
  const bool fitted = !run.step_time.alpha_coeffs.empty();
  return run.step_time.latency_model.value_or(fitted ? "trained-physics"
                                                     : semantics_of(run).latency_model);
}

Result<Setup> make_setup(const RunSpec& asked, SharedSteps* shared) {
  TRY_TO(check_split(asked));
  TRY_TO(check_memory(static_cast<double>(instances_of(asked)), kBytesOfInstance, "instances",
                      "lower --num-instances"));
  std::vector<std::string> notes_on_profile;
  TRY(measured, with_what_was_measured(asked, &notes_on_profile));
  const bool splits = measured.split.is_asked();
  const RunSpec run = splits ? run_of(measured, PoolRole::decode) : measured;
  TRY(chosen, choose(run, shared, &notes_on_profile));

  Setup setup;
  setup.model = chosen.model.config.id;
  setup.hub_id = chosen.model.hub_id;
  setup.architecture = chosen.model.config;
  setup.model_error = error_of_steps(run, chosen.inputs, chosen.calibration);
  describe_hardware(chosen.inputs, &setup);
  std::string on_length;
  EngineConfig limits;
  TRY(pool,
      make_pool(run, splits ? PoolRole::decode : PoolRole::serve, chosen, &on_length, &limits));
  setup.deployment.pools = {std::move(pool)};
  if (splits) {
    TRY(prefill, make_prefill_pool(measured, shared, &setup.model_error));
    setup.deployment.pools.insert(setup.deployment.pools.begin(), std::move(prefill));
    TRY_SET(setup.deployment.disaggregation, disaggregation_of(run, chosen.model.config.layers));
  }
  set_cluster(run, &setup.deployment);
  for (const Pool& each : setup.deployment.pools) setup.gpus += each.gpus * each.num_instances;
  add_notes(run, chosen, limits, on_length, notes_on_profile, &setup);
  setup.config = describe_core(run, chosen.model, chosen.inputs, chosen.calibration);
  if (splits) {
    for (ConfigEntry& entry : describe_split(run, setup.deployment))
      setup.config.push_back(std::move(entry));
  }
  setup.limits = describe_limits(run, limits, chosen.blocks.interval);
  setup.max_num_seqs = limits.max_num_seqs;
  setup.max_num_batched_tokens = limits.max_num_batched_tokens;
  return setup;
}

}  // namespace plimsoll
