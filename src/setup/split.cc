#include "setup/split.h"

#include <utility>

#include <fmt/format.h>

#include "catalog/link.h"
#include "cluster/scorer.h"
#include "setup/config_log.h"
#include "setup/limits_log.h"
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

Result<Disaggregation> disaggregation_of(const RunSpec& run, std::int64_t layers) {
  const SplitSpec& split = run.split;
  Disaggregation out;
  out.decider = pd_decider_name(run);
  out.transfer.gb_per_s = split.transfer_gb_per_s;
  if (!split.link.empty()) {
    TRY(link, find_link(split.link, "--pd-transfer-link"));
    out.transfer.gb_per_s = link.gb_per_s;
  }
  out.transfer.network_gb_per_s = split.network_gb_per_s.value_or(0);
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

Result<std::optional<double>> link_gb_per_s_of(const PoolSpec& pool) {
  if (pool.transfer_link.empty()) return pool.transfer_gb_per_s;
  TRY(link, find_link(pool.transfer_link, fmt::format("--{}-transfer-link", pool.name)));
  return std::optional(link.gb_per_s);
}

std::vector<ConfigEntry> describe_split(const RunSpec& run, const Disaggregation& disaggregation) {
  const SplitSpec& split = run.split;
  ConfigLog log;
  log.value("pd-decider", disaggregation.decider, split.decider);
  note_parameters("--pd-decider", run, &log);
  if (!split.link.empty()) log.value("pd-transfer-link", split.link, split.link);
  const KvTransfer& transfer = disaggregation.transfer;
  if (split.link.empty()) {
    log.setting("pd-transfer-bandwidth", split.transfer_gb_per_s);
  } else {
    log.fixed("pd-transfer-bandwidth", transfer.gb_per_s, "catalog");
  }
  if (split.network_gb_per_s) log.fixed("pd-network-bandwidth", transfer.network_gb_per_s, "flag");
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
