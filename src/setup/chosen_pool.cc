#include "setup/chosen_pool.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "engine/batching_rule.h"
#include "perf/kv_capacity.h"
#include "setup/calibrated.h"
#include "setup/chosen_speculation.h"
#include "setup/pools.h"
#include "setup/setup.h"
#include "setup/shared_steps.h"
#include "setup/split.h"

namespace plimsoll {
namespace {

Result<GpuSpec> choose_gpu(const RunSpec& run, const ChosenModel& model) {
  const std::string& name = run.hardware.gpu->empty() ? model.default_gpu : *run.hardware.gpu;
  if (name.empty()) {
    return fail(ErrorKind::usage, "no GPU given",
                "give --hardware GPU; `plimsoll list gpus` shows all");
  }
  if (!run.hardware.config.empty()) return read_hardware_config(run.hardware.config, name);
  return find_gpu(name, run.semantics);
}

// The reference simulator serves what vLLM refuses.
Result<void> check_rules(const RunSpec& run, const ModelPlacement& served) {
  if (run.semantics != SemanticsMode::vllm) return {};
  return check_engine_rules(served, run.engine.ignored_rules);
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
                "it computes times from model and GPU alone");
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
  if (run.layout.expert_parallel && run.layout.expert_imbalance.origin() != Origin::usual) {
    parallelism.expert_imbalance = run.layout.expert_imbalance;
  }
  return parallelism;
}

/// Fills in the length limit: --max-model-len or the model's own, at most what the cache holds.
/// Returns a note if the cache decides, or nobody does.
std::string limit_length(const RunSpec& run, const ModelConfig& model, EngineConfig* engine) {
  const std::int64_t asked = run.engine.max_model_len.value_or(0);
  // A request lives in one rank.
  const std::int64_t ranks = semantics_of(run).ranks_run_apart ? *run.layout.dp : 1;
  const std::int64_t cache_tokens = engine->total_kv_blocks / ranks * engine->block_size;
  engine->max_model_len = asked > 0 ? asked : model.max_model_len;
  if (engine->max_model_len == 0 && run.semantics == SemanticsMode::vllm) {
    return fmt::format(
        "no length limit of {} is known, and none is simulated: its config.json states none, for "
        "which vLLM assumes 2,048 tokens; --max-model-len sets it",
        model.id);
  }
  if (engine->max_model_len <= cache_tokens) return {};
  const std::int64_t wanted = std::exchange(engine->max_model_len, cache_tokens);
  return fmt::format(
      "the longest request is limited to {} tokens, all that the KV cache{} holds, instead of {}",
      cache_tokens, ranks > 1 ? " of a rank" : "", wanted);
}

// The limits of all ranks of an instance together, of which each has its share (engine/ranks.h).
void give_limits_to_each_rank(const RunSpec& run, EngineConfig* engine) {
  if (!semantics_of(run).ranks_run_apart) return;
  engine->max_num_seqs *= run.layout.dp;
  engine->max_num_batched_tokens *= run.layout.dp * run.layout.pp;
}

Result<LatencyInputs> choose_inputs(const RunSpec& run, const ChosenModel& model) {
  TRY(gpu, choose_gpu(run, model));
  TRY(speculation, speculation_of(run, model.config));
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

}  // namespace

ModelPlacement placement_of(const RunSpec& run, const LatencyInputs& inputs,
                            const EngineConfig& engine) {
  const bool is_vllm =
      inputs.engine == Engine::vllm && engine.batching_rule == batching_rules().front().name;
  const StartLimits limits{engine.max_num_seqs, engine.max_num_batched_tokens,
                           run.engine.max_model_len.value_or(0)};
  return {inputs.model,          inputs.gpu,   inputs.parallelism, is_vllm ? limits : StartLimits{},
          has_hybrid_cache(run), inputs.engine};
}

std::string base_name(const RunSpec& run, const std::optional<Calibration>& calibration) {
  return calibration ? calibration->base : latency_model_name(run);
}

// Of a law alone nothing is known but what was measured.
std::optional<ModelError> error_of_steps(const RunSpec& run, const LatencyInputs& inputs,
                                         const std::optional<Calibration>& calibration) {
  const std::string base = base_name(run, calibration);
  std::optional<ModelError> error;
  if (base == "kernel") {
    error = model_error(inputs.model, inputs.gpu, inputs.parallelism, inputs.engine, splits(run));
  } else if (base == kNoBase) {
    error = usual_error(Regime::unknown);
  }
  if (!error || !calibration) return error;
  return error_shown(*calibration, *error,
                     is_as_measured(*calibration, inputs.parallelism, run.model.quantization));
}

Result<Chosen> choose(const RunSpec& run, PoolRole role, SharedSteps* shared,
                      std::vector<std::string>* notes) {
  TRY(model, choose_model(run.model));
  TRY(inputs, choose_inputs(run, model));
  if (notes != nullptr && run.layout.expert_parallel && !model.config.is_moe()) {
    add_once(notes,
             fmt::format("expert parallelism has no effect: {} has no experts", model.config.id));
  }
  inputs.only_prompts = role == PoolRole::prefill;
  TRY(calibration, calibration_of(run, notes));
  const auto make_steps = [&] { return choose_step_time(run, inputs, calibration); };
  TRY(step_time, shared == nullptr ? make_steps() : shared->of(run, role, make_steps));
  TRY(engine, engine_limits(run, semantics_of(run), model.config));
  TRY_TO(check_rules(run, placement_of(run, inputs, engine)));
  TRY(blocks, choose_kv_blocks(run, engine, inputs));
  return Chosen{std::move(model),     std::move(inputs), std::move(calibration),
                std::move(step_time), std::move(engine), blocks};
}

Result<MadePool> make_pool(const RunSpec& run, const PoolSpec& asked, const Chosen& chosen) {
  MadePool made;
  Pool& pool = made.pool;
  pool.role = asked.role;
  pool.name = asked.name;
  pool.num_instances = static_cast<std::int32_t>(*asked.instances);
  pool.engine = chosen.engine;
  pool.engine.total_kv_blocks = chosen.blocks.count;
  if (splits(run)) pool.engine.prompt_wait_steps = 0;
  made.on_length = limit_length(run, chosen.model.config, &pool.engine);
  made.limits = pool.engine;
  give_limits_to_each_rank(run, &pool.engine);
  pool.step_time = chosen.step_time;
  pool.longest_of_model = chosen.model.config.max_model_len;
  pool.kv_blocks_are_given = run.engine.total_kv_blocks.has_value();
  if (semantics_of(run).ranks_run_apart) pool.ranks = run.layout.dp;
  // What a step reads is not known where its tokens are counted one by one.
  if (!chosen.inputs.speculation) {
    auto work = instance_work(chosen.model.config, chosen.inputs.gpu, chosen.inputs.parallelism);
    if (work) pool.work = std::move(*work);
  }
  pool.gpu = chosen.inputs.gpu.name;
  pool.gpus = chosen.inputs.parallelism.gpus();
  pool.usd_per_gpu_hour = asked.usd_per_gpu_hour;
  if (!splits(run)) return made;
  const KvBudget budget =
      semantics_of(run).kv_budget_per_gpu ? KvBudget::per_gpu : KvBudget::summed;
  TRY(kv, kv_to_transfer(chosen.inputs.model, chosen.inputs.parallelism, budget,
                         chosen.inputs.shapes, has_hybrid_cache(run)));
  pool.kv = kv;
  TRY_SET(pool.link_gb_per_s, link_gb_per_s_of(asked));
  return made;
}

}  // namespace plimsoll
