#include "planner/headroom.h"
#include "report/answer/json.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"
#include "report/run/json.h"

namespace plimsoll {
namespace {

Json cost_per_hour_json(const CandidateResult& r) {
  return r.bill.lines.empty() ? Json() : Json(r.usd_per_hour);
}

// Of what was shown to hold; null where nothing was, or where it costs nothing.
Json max_qps_json(const CandidateResult& r) { return r.at_good ? Json(r.good_rps) : Json(); }
Json qps_per_dollar_json(const CandidateResult& r) {
  return r.at_good && r.usd_per_hour > 0 ? Json(r.qps_per_dollar()) : Json();
}

Json configuration_json(const Candidate& c) {
  const bool limits_tokens = c.max_num_batched_tokens > 0;
  Json out = {{"gpu_type", c.gpu},
              {"num_gpus_per_replica", c.gpus_per_replica()},
              {"tensor_parallel", c.tp},
              {"pipeline_parallel", c.pp},
              {"data_parallel", c.dp},
              {"expert_parallel", c.expert_parallel},
              {"quantization", c.quantization.empty() ? Json() : Json(c.quantization)},
              {"num_replicas", c.replicas},
              {"spare_replicas", c.spare},
              {"total_gpus", c.total_gpus()},
              {"scheduler", c.batching_rule},
              {"max_batch_size", c.max_num_seqs},
              {"max_num_batched_tokens", limits_tokens ? Json(c.max_num_batched_tokens) : Json()},
              {"routing_policy", c.router.empty() ? Json() : Json(c.router)}};
  if (c.mixes()) {
    out["beside_instances"] = c.beside;
    out["beside_gpu_type"] = c.gpu_of_other();
    out["beside_tensor_parallel"] = c.layout_of_other().tp;
  }
  if (!c.splits()) return out;
  out["prefill_instances"] = c.other_instances(c.replicas);
  out["decode_instances"] = c.own_instances(c.replicas);
  out["prefill_gpu_type"] = c.gpu_of_other();
  out["prefill_tensor_parallel"] = c.layout_of_other().tp;
  out["prefill_data_parallel"] = c.layout_of_other().dp;
  out["prefill_expert_parallel"] = c.other_expert_parallel.value_or(c.expert_parallel);
  out["pd_decider"] = c.pd_decider;
  out["pd_transfer_link"] = c.pd_link.empty() ? Json() : Json(c.pd_link);
  return out;
}

// The same keys for all; null where no run holds.
Json performance_json(const PlanReport& report, const CandidateResult& r) {
  Json out = {{"max_sustainable_qps", sustained_rps(report.plan, r)},
              {"at_range_end", is_at_range_end(report.request, r)}};
  const GroupSummary c = r.at_good ? r.at_good->summary.cluster : GroupSummary{};
  out["p50_latency_ms"] = c.e2e.p50_ms;
  out["p95_latency_ms"] = c.e2e.p95_ms;
  out["p99_latency_ms"] = c.e2e.p99_ms;
  out["p95_ttft_ms"] = c.ttft.p95_ms;
  out["p99_ttft_ms"] = c.ttft.p99_ms;
  out["p99_tbt_ms"] = c.itl.p99_ms;
  out["mean_mfu"] = c.efficiency ? Json(c.efficiency->mfu) : Json(nullptr);
  out["mean_memory_util"] = c.kv_utilization;
  out["utilization"] = c.utilization;
  out["tokens_per_sec"] = c.tokens_per_sec;
  if (!r.at_good) std::fill(out.begin(), out.end(), Json());
  return out;
}

Json purchase_json(const Bill& bill) {
  Json out = Json::array();
  for (const BillLine& line : bill.lines) {
    Json bought = {{"replicas", line.replicas},
                   {"instances", line.instances},
                   {"gpus", line.instances * line.price.gpus},
                   {"idle_gpus", line.idle_gpus},
                   {"usd_per_hour", line.usd_per_hour()}};
    put_offer(line.price, &bought);
    out.push_back(std::move(bought));
  }
  return out;
}

Json spare_json(const CandidateResult& r) {
  return {{"failures", r.fleet.failures},
          {"spot", r.fleet.spot},
          {"warm", r.fleet.warm},
          {"cold_start_s", r.cold_start_s}};
}

Json api_json(const PlanReport& report, const CandidateResult& r) {
  const auto api = api_cost_of(report.request.economics, r, promised_rps(report, r));
  if (!api) return nullptr;
  return {{"cost_per_hour", api->usd_per_hour},
          {"cost_per_1k_requests", api->usd_per_1k_requests},
          {"break_even_qps", api->break_even_rps}};
}

// At the rate that the decision promises.
Json cost_json(const PlanReport& report, const CandidateResult& r) {
  const double rate_rps = promised_rps(report, r);
  const PlanCost cost = cost_of(r, rate_rps);
  Json out = {{"cost_per_hour", cost_per_hour_json(r)},
              {"cost_per_1k_requests", cost.usd_per_1k_requests},
              {"cost_per_million_output_tokens", cost.usd_per_million_tokens},
              {"qps_per_dollar", r.usd_per_hour > 0 ? Json(rate_rps / r.usd_per_hour) : Json()},
              {"energy_wh_per_1k_output_tokens", cost.wh_per_1k_tokens}};
  const std::string remarks = r.price ? remarks_text(r.bill) : "";
  out["price_source"] = r.price ? Json(r.price->source) : Json();
  out["price_date"] = r.price ? Json(r.price->date) : Json();
  out["price_remarks"] = remarks.empty() ? Json() : Json(remarks);
  return out;
}

// Met, missed, or null where there is no such limit or no test.
Json met(const std::vector<Slo>& slos, const LoadProbe* probe, Latency metric) {
  Json out = nullptr;
  for (std::size_t i = 0; i < slos.size() && probe != nullptr; ++i) {
    if (slos[i].metric != metric) continue;
    const bool holds = probe->slos[i].answer == Answer::holds;
    out = out.is_null() ? holds : out.as_bool() && holds;
  }
  return out;
}

Json compliance_json(const PlanRequest& request, const CandidateResult& r) {
  const std::vector<Slo>& slos = request.slos;
  Json out = {{"meets_all_slos", slos.empty() ? Json() : Json(keeps_limits(request, r))}};
  const LoadProbe* probe = r.at_good ? &*r.at_good : r.at_bad ? &*r.at_bad : nullptr;
  out["ttft_slo_met"] = met(slos, probe, &GroupSummary::ttft);
  out["tbt_slo_met"] = met(slos, probe, &GroupSummary::itl);
  if (out["tbt_slo_met"].is_null()) out["tbt_slo_met"] = met(slos, probe, &GroupSummary::tpot);
  out["latency_slo_met"] = met(slos, probe, &GroupSummary::e2e);
  Json& all = out["slos"] = probe == nullptr ? Json() : Json::array();
  if (probe == nullptr) return out;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const SloFigure& f = probe->slos[i];
    all.push_back({{"slo", text_of(slos[i])},
                   {"metric", key_of(slos[i])},
                   {"value_ms", f.value_ms},
                   {"target_ms", to_ms(slos[i].limit)},
                   {"margin", f.margin(slos[i])},
                   {"interval", ends_or_null(f.interval_ms)},
                   {"over_seeds", ends_or_null(f.over_seeds_ms)},
                   {"answer", name_of(f.answer)}});
  }
  return out;
}

bool is_simulated(const CandidateResult& r) {
  return r.at_good || r.at_bad || r.fate == Fate::unclear;
}

Json interval_json(const Plan& plan, const CandidateResult& r) {
  constexpr Interval kUnknown{std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};
  if (!is_simulated(r)) {
    return {{"max_sustainable_qps", answer_interval_json(kUnknown, kUnknown, std::nullopt)}};
  }
  const std::optional<Interval> model = plan.is_best(r) ? plan.model_rps : std::nullopt;
  return {{"max_sustainable_qps",
           answer_interval_json(served_rps(plan, r), sampled_rps(plan, r), model)}};
}

// The same keys for all; null where it was searched to its end.
Json bound_json(const PlanRequest& request, const CandidateResult& r) {
  const CandidateBound bound = r.bound.value_or(CandidateBound{});
  Json out = {{"num_replicas", bound.candidate.replicas},
              {"total_gpus", bound.candidate.total_gpus()},
              {"cost_per_hour", r.price ? Json(bound.usd_per_hour) : Json()},
              {"max_qps", request.rate_rps ? Json() : Json(bound.rate_rps)}};
  if (!r.bound) std::fill(out.begin(), out.end(), Json());
  return out;
}

// Null where nothing was measured.
Json extrapolated_json(const PlanReport& report, const CandidateResult& r) {
  const std::string what = extrapolation_of(report, r);
  return report.extrapolations.empty() || what.empty() ? Json() : Json(what);
}

}  // namespace

Json plan_best_json(const PlanReport& report, const CandidateResult& r) {
  Json out = configuration_json(r.candidate);
  out["config_id"] = r.id;
  out["performance"] = performance_json(report, r);
  out["performance"]["promised_qps"] = promised_rps(report, r);
  const std::optional<Headroom> more = report.plan.is_best(r) ? report.plan.headroom : std::nullopt;
  out["headroom"] = more ? headroom_json(r.good_rps, more->good_rps) : Json();
  out["headroom_below"] = more ? Json(headroom_below(r.good_rps, more->bad_rps)) : Json();
  out["cost"] = cost_json(report, r);
  out["cost"]["purchase"] = purchase_json(r.bill);
  out["cost"]["api"] = api_json(report, r);
  out["extrapolated"] = extrapolated_json(report, r);
  out["spare"] = spare_json(r);
  out["slo_compliance"] = compliance_json(report.request, r);
  out["intervals"] = interval_json(report.plan, r);
  if (r.at_good) {
    const ProbeSummary& s = r.at_good->summary;
    out["bottleneck"] = name_of(s.bottleneck.resource);
    out["figures"] = Json::object();
    out["figures"]["rate_rps"] = r.at_good->rate_rps;
    out["figures"]["requests"] = r.at_good->requests;
    out["figures"]["seed"] = r.at_good->seed;
    out["figures"]["seeds"] = r.at_good->seeds;
    out["figures"]["intervals"] = intervals_json(s.intervals, std::nullopt);
  }
  out["run"] = run_command(r);
  return out;
}

Json plan_point_json(const PlanRequest& request, const CandidateResult& r) {
  return {{"config_id", r.id},
          {"max_qps", max_qps_json(r)},
          {"at_range_end", is_at_range_end(request, r)},
          {"cost_per_hour", cost_per_hour_json(r)},
          {"qps_per_dollar", qps_per_dollar_json(r)},
          {"gpu_type", r.candidate.gpu},
          {"total_gpus", r.candidate.total_gpus()}};
}

Json plan_candidate_json(const PlanReport& report, const CandidateResult& r) {
  return {{"config_id", r.id},
          {"config", configuration_json(r.candidate)},
          {"max_qps", max_qps_json(r)},
          {"cost_per_hour", cost_per_hour_json(r)},
          {"qps_per_dollar", qps_per_dollar_json(r)},
          {"fate", name_of(r.fate)},
          {"reason", fate_text(report, r)},
          {"bound", bound_json(report.request, r)},
          {"simulated", is_simulated(r)},
          {"extrapolated", extrapolated_json(report, r)},
          {"metrics", performance_json(report, r)},
          {"slo_compliance", compliance_json(report.request, r)},
          {"intervals", interval_json(report.plan, r)}};
}

}  // namespace plimsoll
