#include "setup/setup.h"

#include <algorithm>
#include <utility>

#include "base/command_files.h"
#include "base/lists.h"
#include "base/memory.h"
#include "perf/engine_rules.h"
#include "perf/latency_models.h"
#include "setup/calibrated.h"
#include "setup/chosen_pool.h"
#include "setup/chosen_speculation.h"
#include "setup/config_log.h"
#include "setup/engine_limits.h"
#include "setup/limits_log.h"
#include "setup/pools.h"
#include "setup/split.h"

namespace plimsoll {
namespace {

constexpr std::string_view kCacheOfFormat =
    "the KV cache is taken to be fp8, as in NVIDIA's NVFP4 checkpoints; --kv-cache-dtype bf16 if "
    "yours does not state it";

void set_cluster(const RunSpec& run, Deployment* deployment) {
  deployment->admission = run.cluster.admission;
  deployment->tenant_budgets = run.cluster.tenant_budgets;
  deployment->flow_control = run.cluster.flow_control;
  deployment->router = run.cluster.router;
  deployment->scorers = run.cluster.routing_scorers;
  deployment->parameters = run.cluster.parameters;
  deployment->router_memory_blocks = semantics_of(run).router_memory_blocks;
  deployment->admission_latency = microseconds(run.cluster.admission_latency_us);
  deployment->routing_latency = microseconds(run.cluster.routing_latency_us);
  deployment->snapshot_refresh_interval = microseconds(run.cluster.snapshot_refresh_interval_us);
  deployment->cache_signal_delay = microseconds(run.cluster.cache_signal_delay_us);
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
  if (model.cache_of_format) {
    log.fixed("kv-cache-dtype", std::string("fp8"), "assumed");
  } else if (!run.model.kv_cache_dtype->empty()) {
    log.setting("kv-cache-dtype", run.model.kv_cache_dtype);
  }
  log.value("hardware", inputs.gpu.name, run.hardware.gpu, "catalog");
  log.value("tp", inputs.parallelism.tp, run.layout.tp,
            model.default_tp > 0 ? "catalog" : "default");
  if (!names_pools(run)) log.setting("num-instances", run.cluster.num_instances);
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

/// One pool on its way into the deployment.
struct PoolParts {
  RunSpec run;
  Chosen chosen;
  MadePool made;
};

// What is said of profiles is the same for all pools: `notes` may be null.
Result<PoolParts> parts_of(const RunSpec& run, const PoolSpec& pool, SharedSteps* shared,
                           std::vector<std::string>* notes) {
  std::vector<std::string> in_vain;
  const auto make = [&]() -> Result<PoolParts> {
    RunSpec own = run_of(run, pool);
    TRY(chosen, choose(own, pool.role, shared, notes == nullptr ? &in_vain : notes));
    TRY(made, make_pool(own, pool, chosen));
    return PoolParts{std::move(own), std::move(chosen), std::move(made)};
  };
  auto parts = make();
  if (!parts) return tl::unexpected<Error>(in_pool(run, pool, std::move(parts.error())));
  return parts;
}

std::vector<std::string> notes_on_rules(const PoolParts& pool) {
  if (pool.run.semantics != SemanticsMode::vllm) return {};
  const Chosen& chosen = pool.chosen;
  return engine_rule_notes(placement_of(pool.run, chosen.inputs, chosen.engine),
                           pool.run.engine.ignored_rules);
}

std::vector<std::string> notes_on_network(const PoolParts& pool) {
  const LatencyInputs& inputs = pool.chosen.inputs;
  if (!prices_network(pool.run, inputs, pool.chosen.calibration)) return {};
  return {network_note(inputs.gpu, inputs.parallelism) +
          unless_sealed(" (NetworkGBs of --hardware-config)")};
}

void add_notes(const PoolParts& pool, const std::string& on_length,
               const std::vector<std::string>& on_profile, Setup* setup) {
  const auto add = [&](const std::vector<std::string>& notes) {
    for (const std::string& note : notes) add_once(&setup->notes, note);
  };
  const Chosen& chosen = pool.chosen;
  if (!chosen.model.note.empty()) setup->notes.push_back(chosen.model.note);
  if (chosen.model.cache_of_format) add({std::string(kCacheOfFormat)});
  add(notes_on_rules(pool));
  if (!on_length.empty()) setup->notes.push_back(on_length);
  add(on_profile);
  add(notes_on_limits(pool.run, pool.made.limits));
  if (chosen.calibration) {
    const std::string note = extrapolation_note(*chosen.calibration, chosen.inputs.parallelism,
                                                pool.run.model.quantization);
    if (!note.empty()) setup->notes.push_back(note);
  }
  add(notes_on_network(pool));
  add(notes_on_preset(pool.run, chosen.model.config));
}

// Of a split by flags the notes are those of the pool that answers.
void add_other(const RunSpec& run, const PoolSpec& asked, const PoolParts& pool, Setup* setup) {
  const Chosen& chosen = pool.chosen;
  setup->model_error = less_known_of(setup->model_error,
                                     error_of_steps(pool.run, chosen.inputs, chosen.calibration));
  if (run.fleet.pools.empty()) return;
  std::vector<std::string> notes = notes_on_rules(pool);
  if (!pool.made.on_length.empty()) notes.push_back(pool.made.on_length);
  append(&notes, notes_on_network(pool));
  for (const std::string& note : notes) {
    if (!contains(setup->notes, note)) setup->notes.push_back(in_pool(run, asked, note));
  }
}

// All but what is known of several pools together.
void describe_main(const PoolParts& pool, Setup* setup) {
  const Chosen& chosen = pool.chosen;
  setup->model = chosen.model.config.id;
  setup->hub_id = chosen.model.hub_id;
  setup->architecture = chosen.model.config;
  setup->gpu = chosen.inputs.gpu.name;
  setup->gpus_per_machine = gpus_of_machine(chosen.inputs.gpu);
  setup->layout = chosen.inputs.parallelism;
  setup->config = describe_core(pool.run, chosen.model, chosen.inputs, chosen.calibration);
  setup->limits = describe_limits(pool.run, pool.made.limits, chosen.inputs.speculation,
                                  chosen.blocks.interval);
  setup->max_num_seqs = pool.made.limits.max_num_seqs;
  setup->max_num_batched_tokens = pool.made.limits.max_num_batched_tokens;
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
  TRY_TO(check_pools(asked));
  TRY_TO(check_memory(static_cast<double>(instances_of(asked)), kBytesOfInstance, "instances",
                      "lower --num-instances"));
  std::vector<std::string> notes_on_profile;
  TRY(run, with_what_was_measured(asked, &notes_on_profile));
  const std::vector<PoolSpec> pools = asked_pools(run);
  const auto main = std::ranges::find_if(pools, &PoolSpec::answers);
  TRY(first, parts_of(run, *main, shared, &notes_on_profile));

  Setup setup;
  setup.model_error = error_of_steps(first.run, first.chosen.inputs, first.chosen.calibration);
  describe_main(first, &setup);
  add_notes(first, in_pool(run, *main, first.made.on_length), notes_on_profile, &setup);
  std::vector<Pool> made;
  for (auto pool = pools.begin(); pool != pools.end(); ++pool) {
    if (pool == main) {
      made.push_back(first.made.pool);
    } else {
      TRY(other, parts_of(run, *pool, shared, nullptr));
      made.push_back(std::move(other.made.pool));
      add_other(run, *pool, other, &setup);
    }
  }
  set_speeds(run, pools, &made);
  for (const Pool& pool : made) setup.gpus += pool.gpus * pool.num_instances;
  setup.deployment.pools = std::move(made);
  setup.deployment.has_fleet_file = !run.fleet.pools.empty();
  set_cluster(run, &setup.deployment);
  if (names_pools(run)) {
    for (auto* entries : {&setup.config, &setup.limits}) tell_flags_from_file(run, *main, entries);
    append(&setup.config, describe_pools(run, pools, setup.deployment.pools));
  }
  if (splits(run)) {
    TRY_SET(setup.deployment.disaggregation, disaggregation_of(run, setup.architecture.layers));
    append(&setup.config, describe_split(run, setup.deployment.disaggregation));
  }
  return setup;
}

}  // namespace plimsoll
