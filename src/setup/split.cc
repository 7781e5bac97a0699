#include "setup/split.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalog/link.h"
#include "cluster/scorer.h"
#include "setup/config_log.h"
#include "setup/limits_log.h"
#include "setup/policies.h"
#include "setup/setup.h"

namespace plimsoll {

const std::vector<std::string>& transfer_modes() {
  static const std::vector<std::string> modes{"bulk", "layerwise"};
  return modes;
}

const std::vector<std::string>& first_token_makers() {
  static const std::vector<std::string> makers{"decode", "prefill"};
  return makers;
}

std::string pd_decider_name(const RunSpec& run) {
  return run.split.decider.value_or(semantics_of(run).pd_decider);
}

Result<void> check_split(const RunSpec& run) {
  const SplitSpec& split = run.split;
  if (!split.is_asked()) return {};
  const std::int64_t all = split.prefill_instances + split.decode_instances;
  if (split.prefill_instances == 0 || split.decode_instances == 0) {
    return fail(
        ErrorKind::usage,
        split.prefill_instances > 0
            ? "--prefill-instances without --decode-instances: nobody would answer"
            : "--decode-instances without --prefill-instances: nobody would compute prompts",
        "give both, or --num-instances for instances that do all of it");
  }
  if (run.cluster.num_instances.is_asked() && *run.cluster.num_instances != all) {
    return fail(
        ErrorKind::usage,
        fmt::format("--num-instances {} with {} instances for prefill and {} for decode",
                    *run.cluster.num_instances, *split.prefill_instances, *split.decode_instances),
        fmt::format("leave --num-instances out, or give {}", all));
  }
  if (run.engine.batching_rule != "vllm") {
    return fail(ErrorKind::usage,
                "--batching-rule " + *run.engine.batching_rule +
                    " does not go with prefill and decode on different instances",
                "the rule vllm does");
  }
  if (!split.link.empty() && split.transfer_gb_per_s.is_asked()) {
    return fail(ErrorKind::usage,
                "--pd-transfer-link and --pd-transfer-bandwidth both say the bandwidth",
                "leave one of them out");
  }
  if (!semantics_of(run).decode_makes_first_token && split.first_token == "prefill") {
    return fail(ErrorKind::usage, "--pd-first-token prefill does not go with --semantics blis",
                "the reference simulator takes the first token from decode");
  }
  return {};
}

RunSpec run_of(const RunSpec& run, PoolRole role) {
  RunSpec own = run;
  const bool prefill = role == PoolRole::prefill;
  const auto& tp = prefill ? run.split.prefill_tp : run.split.decode_tp;
  const auto& gpu = prefill ? run.split.prefill_gpu : run.split.decode_gpu;
  if (tp) own.layout.tp = tp;
  if (!gpu->empty()) own.hardware.gpu = gpu;
  return own;
}

std::optional<ModelError> less_known_of(const std::optional<ModelError>& a,
                                        const std::optional<ModelError>& b) {
  if (!a || !b) return std::nullopt;
  return b->step > a->step ? b : a;
}

std::vector<std::string> Setup::gpus_of_pools() const {
  std::vector<std::string> all{gpu};
  for (const Pool& pool : deployment.pools) {
    if (std::ranges::count(all, pool.gpu) == 0) all.push_back(pool.gpu);
  }
  return all;
}

Result<Disaggregation> disaggregation_of(const RunSpec& run, std::int64_t layers) {
  const SplitSpec& split = run.split;
  Disaggregation out;
  out.decider = pd_decider_name(run);
  out.transfer.gb_per_s = split.transfer_gb_per_s;
  if (!split.link.empty()) {
    TRY(link, find_link(split.link));
    out.transfer.gb_per_s = link.gb_per_s;
  }
  out.transfer.latency =
      nanoseconds(static_cast<std::int64_t>(*split.transfer_latency_ms * 1e6 + 0.5));
  out.transfer.shared = semantics_of(run).transfers_are_retimed || split.contention;
  out.transfer.layerwise = split.mode == "layerwise";
  out.transfer.layers = layers;
  out.first_token_by_prefill = split.first_token == "prefill";
  out.prefill_scorers = split.prefill_scorers;
  out.decode_scorers = split.decode_scorers;
  return out;
}

std::vector<ConfigEntry> describe_split(const RunSpec& run, const Deployment& deployment) {
  const SplitSpec& split = run.split;
  ConfigLog log;
  for (const Pool& pool : deployment.pools) {
    const bool prefill = !pool.answers();
    const std::string of = prefill ? "prefill-" : "decode-";
    log.setting(of + "instances", prefill ? split.prefill_instances : split.decode_instances);
    log.value(of + "hardware", pool.gpu, prefill ? split.prefill_gpu : split.decode_gpu);
    const auto& tp = prefill ? split.prefill_tp : split.decode_tp;
    if (tp) log.fixed(of + "tp", *tp, "flag");
  }
  log.value("pd-decider", deployment.disaggregation.decider, split.decider);
  note_parameters("--pd-decider", run, &log);
  if (!split.link.empty()) log.value("pd-transfer-link", split.link, split.link);
  const KvTransfer& transfer = deployment.disaggregation.transfer;
  if (split.link.empty()) {
    log.setting("pd-transfer-bandwidth", split.transfer_gb_per_s);
  } else {
    log.fixed("pd-transfer-bandwidth", transfer.gb_per_s, "catalog");
  }
  log.setting("pd-transfer-base-latency", split.transfer_latency_ms);
  if (!semantics_of(run).transfers_are_retimed)
    log.setting("pd-transfer-contention", split.contention);
  log.setting("pd-transfer-mode", split.mode);
  log.setting("pd-first-token", split.first_token);
  for (const auto& [key, scorers] : {std::pair("prefill-routing-scorers", &split.prefill_scorers),
                                     std::pair("decode-routing-scorers", &split.decode_scorers)}) {
    if (!(*scorers)->empty()) log.value(key, scorers_text(**scorers), *scorers);
  }
  return log.take();
}

}  // namespace plimsoll
