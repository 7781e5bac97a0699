#include "base/json.h"
#include "report/answer/reasons.h"
#include "report/run/json.h"
#include "report/run/terminal.h"

namespace plimsoll {
namespace {

constexpr int kDescribeSchema = 1;

Json arrivals_json(const WorkloadShape& s) {
  Json windows = Json::array_of(s.windows, [](const ArrivalWindows& w) {
    return Json{
        {"width_s", w.width_s}, {"peak_rps", w.peak_rps}, {"index_of_dispersion", w.dispersion}};
  });
  return {{"mean_rps", s.mean_rps},
          {"gap_cv", s.gap_cv},
          {"windows", windows},
          {"over_time", {{"bucket_s", s.bucket_s}, {"requests", s.requests_over_time}}}};
}

Json length_json(const LengthShape& l) {
  Json bins = Json::array_of(l.histogram, [](const HistogramBin& bin) {
    return Json{{"low", bin.low}, {"high", bin.high}, {"requests", bin.count}};
  });
  return {{"total", l.total}, {"mean", l.mean}, {"min", l.min}, {"p50", l.p50},     {"p90", l.p90},
          {"p95", l.p95},     {"p99", l.p99},   {"max", l.max}, {"histogram", bins}};
}

Json groups_json(const std::vector<GroupShape>& groups) {
  return Json::array_of(groups, [](const GroupShape& g) {
    return Json{{"name", g.name},
                {"requests", g.requests},
                {"prompt_tokens", g.prompt_tokens},
                {"output_tokens", g.output_tokens}};
  });
}

Json reuse_json(const WorkloadShape& s, const ShapeNotes& notes) {
  if (!notes.prefixes_are_known) return nullptr;
  const auto total = static_cast<double>(s.prompt.total);
  return {{"block_tokens", notes.block_tokens},
          {"hit_tokens", s.reuse.hit_tokens},
          {"hit_share", total > 0 ? static_cast<double>(s.reuse.hit_tokens) / total : 0.0},
          {"requests_with_hits", s.reuse.requests},
          {"reused_tokens", s.reuse.reused_tokens}};
}

Json sessions_json(const std::optional<SessionShape>& s) {
  if (!s) return nullptr;
  return {{"sessions", s->sessions},
          {"mean_rounds", s->mean_rounds},
          {"most_rounds", s->most_rounds},
          {"mean_open", s->mean_open},
          {"most_open", s->most_open}};
}

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

std::string shape_json(const WorkloadShape& shape, const ShapeNotes& notes) {
  const Json out = {{"schema_version", kDescribeSchema},
                    {"requests", shape.requests},
                    {"cut", shape.cut},
                    {"last_arrival_s", shape.last_arrival_s},
                    {"arrivals", arrivals_json(shape)},
                    {"prompt_tokens", length_json(shape.prompt)},
                    {"output_tokens", length_json(shape.output)},
                    {"media_tokens", shape.media_tokens},
                    {"mean_reason_ratio", shape.mean_reason_ratio},
                    {"prefix_reuse", reuse_json(shape, notes)},
                    {"sessions", sessions_json(shape.sessions)},
                    {"clients", groups_json(shape.clients)},
                    {"tenants", groups_json(shape.tenants)},
                    {"slo_classes", groups_json(shape.slo_classes)},
                    {"models", groups_json(shape.models)},
                    {"assumed", notes.assumed}};
  return out.dump(2) + "\n";
}

void put_pools(const Pools& pools, Json* to) {
  if (pools.split) {
    (*to)["disaggregation"] = split_json(pools);
  } else if (!pools.pools.empty()) {
    (*to)["fleet"] = fleet_json(pools);
  }
}

}  // namespace plimsoll
