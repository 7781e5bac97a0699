#include "report/answer/reasons.h"
#include "report/run/json.h"

namespace plimsoll {
namespace {

Json pool_json(const PoolFigures& f) {
  constexpr const char* kRoles[] = {"serve", "prefill", "decode"};
  Json out = {{"name", f.name},
              {"role", kRoles[static_cast<int>(f.role)]},
              {"hardware", f.gpu},
              {"num_instances", f.instances},
              {"gpus", f.gpus},
              {"prompts_handed_over", f.prompts},
              {"completed_requests", f.answers},
              {"share_of_requests", f.share},
              {"utilization", f.utilization},
              {"fullness", f.fullness},
              {"kv_utilization", f.kv_utilization},
              {"mean_batch_size", f.mean_batch_size},
              {"mean_queue_depth", f.mean_queue_depth},
              {"preemption_count", f.preemptions}};
  if (f.link_gb_per_s > 0) {
    out["link_gb_per_s"] = f.link_gb_per_s;
    out["link_utilization"] = f.link_utilization;
  }
  return out;
}

// The pools that all serve whole requests.
Json fleet_json(const Pools& p) {
  return {{"verdict", name_of(p.verdict)},
          {"reason", reason_text(p)},
          {"pools", Json::array_of(p.pools, pool_json)}};
}

Json split_json(const Pools& p) {
  const Division now = division_of(p);
  const Division even = divide(p, now.prefill + now.decode);
  Json out = {{"verdict", name_of(p.verdict)},
              {"reason", reason_text(p)},
              {"balanced_prefill_instances", even.prefill},
              {"balanced_decode_instances", even.decode},
              {"transfers", p.transfers.ended},
              {"transfers_given_up", p.transfers.given_up},
              {"transfer_mean_ms", p.transfers.mean_ms},
              {"transferred_gb_per_gpu", p.transfers.gb},
              {"link_utilization", p.transfers.utilization},
              {"transfers_at_once_max", p.transfers.most_at_once},
              {"transfers_at_once_mean", p.transfers.mean_at_once}};
  if (p.tried) {
    out["balanced_verdict"] = name_of(p.tried->verdict);
    out["balanced_ttft_p99_ms"] = p.tried->ttft_p99_ms;
  }
  out["pools"] = Json::array_of(p.pools, pool_json);
  return out;
}

}  // namespace

void put_pools(const Pools& pools, Json* to) {
  if (pools.split) {
    (*to)["disaggregation"] = split_json(pools);
  } else if (!pools.pools.empty()) {
    (*to)["fleet"] = fleet_json(pools);
  }
}

}  // namespace plimsoll
