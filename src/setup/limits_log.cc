#include "setup/limits_log.h"

#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "setup/choices.h"
#include "setup/chosen_speculation.h"
#include "setup/engine_limits.h"
#include "setup/policies.h"

namespace plimsoll {

void note_parameters(std::string_view flag, const RunSpec& run, ConfigLog* log) {
  const PolicyKind& kind = policy_kind(flag);
  const ChosenParameters& chosen = kind.parameters_of(run);
  for (const PolicyRow& row : kind.rows) {
    if (!kind.uses(run, row.name)) continue;
    for (const PolicyParameter& parameter : row.parameters) {
      const auto found = chosen.find(parameter.name);
      const Setting<double> value =
          found == chosen.end() ? Setting(parameter.usual) : found->second;
      if (parameter.is_whole) {
        log->value(parameter.name, static_cast<std::int64_t>(*value), value);
      } else {
        log->setting(parameter.name, value);
      }
    }
  }
}

namespace {

void describe_routing(const RunSpec& run, ConfigLog* log) {
  log->setting("routing-policy", run.cluster.router);
  if (run.cluster.router == "weighted") {
    const auto& profile =
        run.cluster.routing_scorers->empty() ? default_scorers() : *run.cluster.routing_scorers;
    log->value("routing-scorers", scorers_text(profile), run.cluster.routing_scorers);
  }
  note_parameters("--routing-policy", run, log);
  note_parameters("--routing-scorers", run, log);
}

void describe_batches(const RunSpec& run, const EngineConfig& engine, ConfigLog* log) {
  const BatchingRuleRow& rule = batching_rule(engine.batching_rule);
  if (rule.name != batching_rules().front().name)
    log->value("batching-rule", rule.name, run.engine.batching_rule, "computed");
  note_parameters("--batching-rule", run, log);
  log->setting("scheduler", run.engine.scheduler);
  note_parameters("--scheduler", run, log);
  log->value("max-num-seqs", engine.max_num_seqs, run.engine.max_num_seqs);
  if (rule.max_num_batched_tokens > 0) {
    log->value("max-num-batched-tokens", engine.max_num_batched_tokens,
               run.engine.max_num_batched_tokens);
  }
  log->value("long-prefill-token-threshold", engine.long_prefill_token_threshold,
             run.engine.long_prefill_token_threshold);
  if (run.layout.dp > 1) log->setting("prompt-wait-steps", run.engine.prompt_wait_steps);
}

void describe_layout(const RunSpec& run, ConfigLog* log) {
  log->setting("pp", run.layout.pp);
  log->setting("dp", run.layout.dp);
  log->setting("enable-expert-parallel", run.layout.expert_parallel);
  if (run.layout.expert_parallel && run.layout.expert_imbalance.origin() != Origin::usual) {
    log->setting("expert-imbalance", run.layout.expert_imbalance);
  }
}

void describe_gateway(const RunSpec& run, ConfigLog* log) {
  log->setting("admission-policy", run.cluster.admission);
  note_parameters("--admission-policy", run, log);
  if (run.cluster.flow_control.enabled) {
    log->setting("saturation-detector", run.cluster.flow_control.signal);
    note_parameters("--saturation-detector", run, log);
    log->setting("dispatch-order", run.cluster.flow_control.order);
    note_parameters("--dispatch-order", run, log);
    log->setting("fairness-policy", run.cluster.flow_control.fairness);
    note_parameters("--fairness-policy", run, log);
  }
}

}  // namespace

std::vector<ConfigEntry> describe_limits(const RunSpec& run, const EngineConfig& engine,
                                         const std::optional<Speculation>& speculation,
                                         const std::optional<KvInterval>& blocks) {
  ConfigLog log;
  log.value("max-model-len", engine.max_model_len, run.engine.max_model_len, "computed");
  log.value("total-kv-blocks", engine.total_kv_blocks, run.engine.total_kv_blocks, "computed");
  log.may_be(blocks);
  describe_routing(run, &log);
  describe_batches(run, engine, &log);
  log.setting("preemption-policy", run.engine.preemption);
  note_parameters("--preemption-policy", run, &log);
  log.value("block-size-in-tokens", engine.block_size, run.engine.block_size);
  log.setting("gpu-memory-utilization", run.engine.gpu_memory_utilization);
  if (run.engine.no_hybrid_cache.is_asked() || !has_hybrid_cache(run)) {
    log.value("disable-hybrid-kv-cache-manager", !has_hybrid_cache(run),
              run.engine.no_hybrid_cache);
  }
  log.setting("no-prefix-caching", run.engine.no_prefix_caching);
  log.setting("no-chunked-prefill", run.engine.no_chunked_prefill);
  log.setting("no-async-scheduling", run.engine.no_async_scheduling);
  describe_layout(run, &log);
  if (speculation) describe_speculation(run.speculation, *speculation, &log);
  describe_gateway(run, &log);
  log.setting("admission-latency", run.cluster.admission_latency_us);
  log.setting("routing-latency", run.cluster.routing_latency_us);
  log.setting("snapshot-refresh-interval", run.cluster.snapshot_refresh_interval_us);
  log.setting("cache-signal-delay", run.cluster.cache_signal_delay_us);
  log.value("semantics", name_of(semantics_choices(), run.semantics), run.semantics);
  return log.take();
}

}  // namespace plimsoll
