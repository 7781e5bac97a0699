#include "setup/setup.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "perf/parallelism.h"
#include "setup/calibrated.h"
#include "setup/choices.h"
#include "setup/chosen_model.h"
#include "setup/config_log.h"
#include "setup/engine_limits.h"

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
                "--beta-coeffs A,B,C (docs/latency-models.md)");
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
  if (auto checked = check_coefficients(run); !checked) return pass_on(checked);
  if (!run.step_time.alpha_coeffs.empty()) {
    inputs.coefficients = Coefficients{run.step_time.alpha_coeffs, run.step_time.beta_coeffs};
  }
  return make_latency_model(latency_model_name(run), inputs);
}

Parallelism parallelism_of(const RunSpec& run, const ChosenModel& model, MoeCommFamily comm) {
  Parallelism parallelism;
  parallelism.tp = run.layout.tp.value_or(0);
  if (parallelism.tp == 0) parallelism.tp = std::max<std::int64_t>(model.default_tp, 1);
  parallelism.pp = run.layout.pp;
  parallelism.dp = run.layout.dp;
  if (run.layout.expert_parallel) parallelism.ep = parallelism.tp * parallelism.dp;
  parallelism.moe_comm = comm;
  if (run.layout.expert_parallel) parallelism.expert_imbalance = run.layout.expert_imbalance;
  return parallelism;
}

/// Fills in the length limit: --max-model-len or the model's own, at most what the cache holds.
void limit_length(const RunSpec& run, const ModelConfig& model, Setup* setup) {
  EngineConfig& engine = setup->deployment.engine;
  const std::int64_t asked = run.engine.max_model_len.value_or(0);
  // A request lives in one rank.
  const std::int64_t ranks = semantics_of(run).limits_are_per_rank ? *run.layout.dp : 1;
  const std::int64_t cache_tokens = engine.total_kv_blocks / ranks * engine.block_size;
  engine.max_model_len = asked > 0 ? asked : model.max_model_len;
  if (engine.max_model_len <= cache_tokens) return;
  setup->notes.push_back("the longest request is limited to " + std::to_string(cache_tokens) +
                         " tokens, all that the KV cache holds, instead of " +
                         std::to_string(engine.max_model_len));
  engine.max_model_len = cache_tokens;
}

void set_cluster(const RunSpec& run, Deployment* deployment) {
  deployment->num_instances = static_cast<std::int32_t>(run.cluster.num_instances);
  deployment->admission = run.cluster.admission;
  deployment->flow_control = run.cluster.flow_control;
  deployment->router = run.cluster.router;
  deployment->scorers = run.cluster.routing_scorers;
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
  if (base == "kernel") return model_error(inputs.model, inputs.gpu, inputs.parallelism);
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
  log.setting("num-instances", run.cluster.num_instances);
  if (calibration) {
    log.fixed("latency-model", calibration->base, "calibration");
    log.fixed("calibrated", describe(*calibration), "calibration");
  } else {
    log.value("latency-model", latency_model_name(run), run.step_time.latency_model);
  }
  if (prices_network(run, inputs, calibration)) {
    log.fixed("network-gb-s", network_gb_s(inputs.gpu),
              inputs.gpu.network_gb_s > 0 ? "file" : "assumed");
  }
  return log.take();
}

std::vector<ConfigEntry> describe_limits(const RunSpec& run, const EngineConfig& engine,
                                         const std::optional<KvInterval>& blocks) {
  ConfigLog log;
  log.value("max-model-len", engine.max_model_len, run.engine.max_model_len, "computed");
  log.value("total-kv-blocks", engine.total_kv_blocks, run.engine.total_kv_blocks, "computed");
  log.may_be(blocks);
  log.setting("routing-policy", run.cluster.router);
  if (run.cluster.router == "weighted") {
    const auto& profile =
        run.cluster.routing_scorers->empty() ? default_scorers() : *run.cluster.routing_scorers;
    log.value("routing-scorers", scorers_text(profile), run.cluster.routing_scorers);
  }
  const BatchingRuleRow& rule = batching_rule(engine.batching_rule);
  if (rule.name != batching_rules().front().name)
    log.value("batching-rule", rule.name, run.engine.batching_rule);
  log.value("scheduler", name_of(scheduler_choices(), engine.scheduler), run.engine.scheduler);
  log.value("max-num-seqs", engine.max_num_seqs, run.engine.max_num_seqs);
  if (rule.max_num_batched_tokens > 0) {
    log.value("max-num-batched-tokens", engine.max_num_batched_tokens,
              run.engine.max_num_batched_tokens);
  }
  log.value("long-prefill-token-threshold", engine.long_prefill_token_threshold,
            run.engine.long_prefill_token_threshold);
  log.value("preemption-policy", name_of(preemption_choices(), engine.preemption),
            run.engine.preemption);
  log.value("block-size-in-tokens", engine.block_size, run.engine.block_size);
  log.setting("gpu-memory-utilization", run.engine.gpu_memory_utilization);
  log.setting("no-prefix-caching", run.engine.no_prefix_caching);
  log.setting("no-chunked-prefill", run.engine.no_chunked_prefill);
  log.setting("no-async-scheduling", run.engine.no_async_scheduling);
  log.setting("pp", run.layout.pp);
  log.setting("dp", run.layout.dp);
  log.setting("enable-expert-parallel", run.layout.expert_parallel);
  if (run.layout.expert_parallel) log.setting("expert-imbalance", run.layout.expert_imbalance);
  if (run.speculation.tokens > 0) {
    log.setting("num-speculative-tokens", run.speculation.tokens);
    log.value("acceptance-rate", *run.speculation.acceptance_rate, run.speculation.acceptance_rate);
    if (run.speculation.draft_ms)
      log.value("draft-ms", *run.speculation.draft_ms, run.speculation.draft_ms);
    if (!run.speculation.draft_model.empty())
      log.value("draft-model", run.speculation.draft_model, run.speculation.draft_model);
  }
  log.value("admission-policy", name_of(admission_choices(), run.cluster.admission.policy),
            run.cluster.admission.policy);
  log.setting("admission-latency", run.cluster.admission_latency_us);
  log.setting("routing-latency", run.cluster.routing_latency_us);
  log.setting("snapshot-refresh-interval", run.cluster.snapshot_refresh_interval_us);
  log.setting("cache-signal-delay", run.cluster.cache_signal_delay_us);
  log.value("semantics", name_of(semantics_choices(), run.semantics), run.semantics);
  return log.take();
}

}  // namespace

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

Result<Setup> make_setup(const RunSpec& asked) {
  std::vector<std::string> notes_on_profile;
  const auto measured = with_what_was_measured(asked, &notes_on_profile);
  if (!measured) return tl::unexpected<Error>(measured.error());
  const RunSpec& run = *measured;
  auto model = choose_model(run.model);
  if (!model) return pass_on(model);
  auto gpu = choose_gpu(run, *model);
  if (!gpu) return pass_on(gpu);
  auto moe_comm = find_moe_comm_backend(run.layout.moe_comm_backend);
  if (!moe_comm) return pass_on(moe_comm);
  LatencyInputs inputs{model->config, *gpu, parallelism_of(run, *model, *moe_comm), {}};
  inputs.shapes =
      semantics_of(run).exact_model_shapes ? ModelShapes::exact : ModelShapes::reference;
  inputs.sampling = run.step_time.sampling.value_or(model->sampling);
  auto speculation = speculation_of(run);
  if (!speculation) return pass_on(speculation);
  inputs.speculation = std::move(*speculation);
  auto calibration = calibration_of(run, &notes_on_profile);
  if (!calibration) return pass_on(calibration);
  auto step_time = choose_step_time(run, inputs, *calibration);
  if (!step_time) return pass_on(step_time);
  const ModelPlacement served{inputs.model, inputs.gpu, inputs.parallelism};
  if (auto checked = check_rules(run, served); !checked) return pass_on(checked);
  auto engine = engine_limits(run, semantics_of(run), model->config);
  if (!engine) return pass_on(engine);
  auto blocks = choose_kv_blocks(run, *engine, inputs);
  if (!blocks) return pass_on(blocks);

  Setup setup;
  setup.model = model->config.id;
  setup.hub_id = model->hub_id;
  setup.architecture = model->config;
  // What a step reads is not known where its tokens are counted one by one.
  if (!inputs.speculation) {
    auto work = instance_work(inputs.model, inputs.gpu, inputs.parallelism);
    if (work) setup.work = *work;
  }
  setup.model_error = error_of_steps(run, inputs, *calibration);
  setup.gpu = inputs.gpu.name;
  setup.tdp_w = inputs.gpu.tdp_w;
  setup.gpus_per_machine = gpus_of_machine(inputs.gpu);
  setup.layout = inputs.parallelism;
  setup.gpus = inputs.parallelism.gpus() * run.cluster.num_instances;
  setup.deployment.step_time = std::move(*step_time);
  setup.deployment.engine = std::move(*engine);
  setup.deployment.engine.total_kv_blocks = blocks->count;
  set_cluster(run, &setup.deployment);
  if (!model->note.empty()) setup.notes.push_back(model->note);
  for (std::string& note : notes_on_rules(run, served)) {
    setup.notes.push_back(std::move(note));
  }
  limit_length(run, model->config, &setup);
  for (const auto& notes : {notes_on_profile, notes_on_limits(run, setup.deployment.engine)}) {
    setup.notes.insert(setup.notes.end(), notes.begin(), notes.end());
  }
  if (*calibration) {
    const std::string note = extrapolation_note(**calibration, inputs.parallelism);
    if (!note.empty()) setup.notes.push_back(note);
  }
  if (prices_network(run, inputs, *calibration)) {
    setup.notes.push_back(network_note(inputs.gpu, inputs.parallelism) +
                          " (NetworkGBs of --hardware-config)");
  }
  setup.config = describe_core(run, *model, inputs, *calibration);
  setup.limits = describe_limits(run, setup.deployment.engine, blocks->interval);
  setup.max_num_seqs = setup.deployment.engine.max_num_seqs;
  setup.max_num_batched_tokens = setup.deployment.engine.max_num_batched_tokens;
  give_limits_to_each_rank(run, &setup.deployment.engine);
  return setup;
}

}  // namespace plimsoll
