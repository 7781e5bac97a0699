#include "cli/setup.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/hardware_config.h"
#include "cli/calibrated.h"
#include "cli/choices.h"
#include "cli/chosen_model.h"
#include "cli/config_log.h"
#include "cli/engine_limits.h"
#include "cli/idle_flags.h"
#include "cli/kv_blocks.h"
#include "cli/speculation.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "perf/nodes.h"

namespace plimsoll {
namespace {

Result<GpuSpec> choose_gpu(const Options& options, const ChosenModel& model) {
  const std::string& name = options.hardware.empty() ? model.default_gpu : options.hardware;
  if (name.empty()) {
    return fail(ErrorKind::usage, "which GPU? give --hardware", "`plimsoll list gpus` shows all");
  }
  if (!options.hardware_config.empty()) return read_hardware_config(options.hardware_config, name);
  return find_gpu(name, options.semantics);
}

// The reference simulator serves what vLLM refuses.
Result<void> check_rules(const Options& options, const ModelPlacement& served) {
  if (options.semantics != SemanticsMode::vllm) return {};
  return check_engine_rules(served, options.ignored_rules);
}

std::vector<std::string> notes_on_rules(const Options& options, const ModelPlacement& served) {
  if (options.semantics != SemanticsMode::vllm) return {};
  return engine_rule_notes(served, options.ignored_rules);
}

// Coefficients are given as a pair or not at all.
Result<void> check_coefficients(const Options& options) {
  const bool alpha = options.is_given("--alpha-coeffs");
  const bool beta = options.is_given("--beta-coeffs");
  if (alpha != beta) {
    return fail(ErrorKind::usage, "--alpha-coeffs and --beta-coeffs must be given together",
                "for step times of your own: --latency-model blackbox --alpha-coeffs A,B,C "
                "--beta-coeffs A,B,C (docs/latency-models.md)");
  }
  if (alpha && options.latency_model == "roofline") {
    return fail(ErrorKind::usage, "--alpha-coeffs and --beta-coeffs do not go with roofline",
                "it computes its times from the model and the GPU alone");
  }
  return {};
}

Result<std::shared_ptr<const StepTimeModel>> choose_step_time(
    const Options& options, LatencyInputs inputs, const std::optional<Calibration>& calibration) {
  if (calibration) return make_calibrated(*calibration, inputs);
  if (auto checked = check_coefficients(options); !checked) return pass_on(checked);
  if (!options.alpha_coeffs.empty()) {
    inputs.coefficients = Coefficients{options.alpha_coeffs, options.beta_coeffs};
  }
  return make_latency_model(latency_model_name(options), inputs);
}

Parallelism parallelism_of(const Options& options, const ChosenModel& model, MoeCommFamily comm) {
  Parallelism parallelism;
  parallelism.tp = options.tp.value_or(0);
  if (parallelism.tp == 0) parallelism.tp = std::max<std::int64_t>(model.default_tp, 1);
  parallelism.pp = options.pp;
  parallelism.dp = options.dp;
  if (options.expert_parallel) parallelism.ep = parallelism.tp * parallelism.dp;
  parallelism.moe_comm = comm;
  if (options.expert_parallel) parallelism.expert_imbalance = options.expert_imbalance;
  return parallelism;
}

/// Fills in the length limit: --max-model-len or the model's own, at most what the cache holds.
void limit_length(const Options& options, const ModelConfig& model, Setup* setup) {
  EngineConfig& engine = setup->deployment.engine;
  const std::int64_t asked = options.max_model_len.value_or(0);
  // A request lives in one rank.
  const std::int64_t ranks = semantics_of(options).limits_are_per_rank ? options.dp : 1;
  const std::int64_t cache_tokens = engine.total_kv_blocks / ranks * engine.block_size;
  engine.max_model_len = asked > 0 ? asked : model.max_model_len;
  if (engine.max_model_len <= cache_tokens) return;
  setup->notes.push_back("the longest request is limited to " + std::to_string(cache_tokens) +
                         " tokens, all that the KV cache holds, instead of " +
                         std::to_string(engine.max_model_len));
  engine.max_model_len = cache_tokens;
}

void set_cluster(const Options& options, Deployment* deployment) {
  deployment->num_instances = static_cast<std::int32_t>(options.num_instances);
  deployment->admission = options.admission;
  deployment->flow_control = options.flow_control;
  deployment->router = options.router;
  deployment->scorers = options.routing_scorers;
  deployment->admission_latency = microseconds(options.admission_latency_us);
  deployment->routing_latency = microseconds(options.routing_latency_us);
  deployment->snapshot_refresh_interval = microseconds(options.snapshot_refresh_interval_us);
  deployment->cache_signal_delay = microseconds(options.cache_signal_delay_us);
}

// An instance is simulated as a whole, with the limits of all its ranks together.
void give_limits_to_each_rank(const Options& options, EngineConfig* engine) {
  if (!semantics_of(options).limits_are_per_rank) return;
  engine->max_num_seqs *= options.dp;
  engine->max_num_batched_tokens *= options.dp * options.pp;
}

std::string base_name(const Options& options, const std::optional<Calibration>& calibration) {
  return calibration ? calibration->base : latency_model_name(options);
}

// A correction does not narrow the error of the model it corrects.
std::optional<ModelError> error_of_steps(const Options& options, const LatencyInputs& inputs,
                                         const std::optional<Calibration>& calibration) {
  const std::string base = base_name(options, calibration);
  if (base == "kernel") return model_error(inputs.model, inputs.gpu, inputs.parallelism);
  if (base == kNoBase) return error_of_law(*calibration);
  return std::nullopt;
}

// The other models know nothing of nodes.
bool prices_network(const Options& options, const LatencyInputs& inputs,
                    const std::optional<Calibration>& calibration) {
  return base_name(options, calibration) == "kernel" && spans_nodes(inputs.gpu, inputs.parallelism);
}

std::vector<ConfigEntry> describe_core(const Options& options, const ChosenModel& model,
                                       const LatencyInputs& inputs,
                                       const std::optional<Calibration>& calibration) {
  ConfigLog log(options);
  log.flag("--model", model.config.id, model.origin);
  if (!options.quantization.empty()) log.flag("--quantization", options.quantization);
  if (!options.kv_cache_dtype.empty()) log.flag("--kv-cache-dtype", options.kv_cache_dtype);
  log.flag("--hardware", inputs.gpu.name, "catalog");
  log.flag("--tp", inputs.parallelism.tp, model.default_tp > 0 ? "catalog" : "default");
  log.flag("--num-instances", options.num_instances);
  if (calibration) {
    log.fixed("--latency-model", calibration->base, "calibration");
    log.fixed("--calibrated", describe(*calibration), "calibration");
  } else {
    log.flag("--latency-model", latency_model_name(options));
  }
  if (prices_network(options, inputs, calibration)) {
    log.fixed("--network-gb-s", network_gb_s(inputs.gpu),
              inputs.gpu.network_gb_s > 0 ? "file" : "assumed");
  }
  return log.take();
}

std::vector<ConfigEntry> describe_limits(const Options& options, const EngineConfig& engine,
                                         const std::optional<KvInterval>& blocks) {
  ConfigLog log(options);
  log.flag("--max-model-len", engine.max_model_len, "computed");
  log.flag("--total-kv-blocks", engine.total_kv_blocks, "computed");
  log.may_be(blocks);
  log.flag("--routing-policy", options.router);
  if (options.router == "weighted") {
    const auto& profile =
        options.routing_scorers.empty() ? default_scorers() : options.routing_scorers;
    log.flag("--routing-scorers", scorers_text(profile));
  }
  const BatchingRuleRow& rule = batching_rule(engine.batching_rule);
  if (rule.name != batching_rules().front().name) log.flag("--batching-rule", rule.name);
  log.flag("--scheduler", name_of(scheduler_choices(), engine.scheduler));
  log.flag("--max-num-seqs", engine.max_num_seqs);
  if (rule.max_num_batched_tokens > 0) {
    log.flag("--max-num-batched-tokens", engine.max_num_batched_tokens);
  }
  log.flag("--long-prefill-token-threshold", engine.long_prefill_token_threshold);
  log.flag("--preemption-policy", name_of(preemption_choices(), engine.preemption));
  log.flag("--block-size-in-tokens", engine.block_size);
  log.flag("--gpu-memory-utilization", options.gpu_memory_utilization);
  log.flag("--no-prefix-caching", options.no_prefix_caching);
  log.flag("--no-chunked-prefill", options.no_chunked_prefill);
  log.flag("--no-async-scheduling", options.no_async_scheduling);
  log.flag("--pp", options.pp);
  log.flag("--dp", options.dp);
  log.flag("--enable-expert-parallel", options.expert_parallel);
  if (options.expert_parallel) log.flag("--expert-imbalance", options.expert_imbalance);
  if (options.num_speculative_tokens > 0) {
    log.flag("--num-speculative-tokens", options.num_speculative_tokens);
    log.flag("--acceptance-rate", *options.acceptance_rate);
    if (options.draft_ms) log.flag("--draft-ms", *options.draft_ms);
    if (!options.draft_model.empty()) log.flag("--draft-model", options.draft_model);
  }
  log.flag("--admission-policy", name_of(admission_choices(), options.admission.policy));
  log.flag("--admission-latency", options.admission_latency_us);
  log.flag("--routing-latency", options.routing_latency_us);
  log.flag("--snapshot-refresh-interval", options.snapshot_refresh_interval_us);
  log.flag("--cache-signal-delay", options.cache_signal_delay_us);
  log.flag("--semantics", name_of(semantics_choices(), options.semantics));
  return log.take();
}

}  // namespace

Semantics semantics_of(const Options& options) {
  Semantics semantics = Semantics::of(options.semantics);
  if (options.no_async_scheduling) semantics.asynchronous_scheduling = false;
  return semantics;
}

std::string latency_model_name(const Options& options) {
  const bool fitted = !options.alpha_coeffs.empty();
  return options.latency_model.value_or(fitted ? "trained-physics"
                                               : semantics_of(options).latency_model);
}

Result<Setup> make_setup(const Options& asked) {
  std::vector<std::string> notes_on_profile;
  const auto measured = with_what_was_measured(asked, &notes_on_profile);
  if (!measured) return tl::unexpected<Error>(measured.error());
  const Options& options = *measured;
  auto model = choose_model(options);
  if (!model) return pass_on(model);
  auto gpu = choose_gpu(options, *model);
  if (!gpu) return pass_on(gpu);
  auto moe_comm = find_moe_comm_backend(options.moe_comm_backend);
  if (!moe_comm) return pass_on(moe_comm);
  LatencyInputs inputs{model->config, *gpu, parallelism_of(options, *model, *moe_comm), {}};
  inputs.shapes =
      semantics_of(options).exact_model_shapes ? ModelShapes::exact : ModelShapes::reference;
  inputs.sampling = options.sampling.value_or(model->sampling);
  auto speculation = speculation_of(options);
  if (!speculation) return pass_on(speculation);
  inputs.speculation = std::move(*speculation);
  auto calibration = calibration_of(options, &notes_on_profile);
  if (!calibration) return pass_on(calibration);
  auto step_time = choose_step_time(options, inputs, *calibration);
  if (!step_time) return pass_on(step_time);
  const ModelPlacement served{inputs.model, inputs.gpu, inputs.parallelism};
  if (auto checked = check_rules(options, served); !checked) return pass_on(checked);
  auto engine = engine_limits(options, semantics_of(options), model->config);
  if (!engine) return pass_on(engine);
  auto blocks = choose_kv_blocks(options, *engine, inputs);
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
  setup.model_error = error_of_steps(options, inputs, *calibration);
  setup.gpu = inputs.gpu.name;
  setup.tdp_w = inputs.gpu.tdp_w;
  setup.gpus_per_machine = gpus_of_machine(inputs.gpu);
  setup.layout = inputs.parallelism;
  setup.gpus = inputs.parallelism.gpus() * options.num_instances;
  setup.deployment.step_time = std::move(*step_time);
  setup.deployment.engine = std::move(*engine);
  setup.deployment.engine.total_kv_blocks = blocks->count;
  set_cluster(options, &setup.deployment);
  setup.notes = notes_on_idle_flags(options);
  if (!model->note.empty()) setup.notes.push_back(model->note);
  for (std::string& note : notes_on_rules(options, served)) {
    setup.notes.push_back(std::move(note));
  }
  limit_length(options, model->config, &setup);
  for (const auto& notes : {notes_on_profile, notes_on_limits(options, setup.deployment.engine)}) {
    setup.notes.insert(setup.notes.end(), notes.begin(), notes.end());
  }
  if (*calibration) {
    const std::string note = extrapolation_note(**calibration, inputs.parallelism);
    if (!note.empty()) setup.notes.push_back(note);
  }
  if (prices_network(options, inputs, *calibration)) {
    setup.notes.push_back(network_note(inputs.gpu, inputs.parallelism) +
                          " (NetworkGBs of --hardware-config)");
  }
  setup.config = describe_core(options, *model, inputs, *calibration);
  setup.limits = describe_limits(options, setup.deployment.engine, blocks->interval);
  setup.max_num_seqs = setup.deployment.engine.max_num_seqs;
  setup.max_num_batched_tokens = setup.deployment.engine.max_num_batched_tokens;
  give_limits_to_each_rank(options, &setup.deployment.engine);
  return setup;
}

}  // namespace plimsoll
