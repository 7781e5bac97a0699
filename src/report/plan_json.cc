#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/answer_interval.h"
#include "report/fleet.h"
#include "report/plan.h"
#include "report/plan_advice.h"
#include "report/plan_figures.h"
#include "report/summary_json.h"

namespace plimsoll {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json cost_per_hour_json(const CandidateResult& r) {
  return r.bill.lines.empty() ? Json() : Json(r.usd_per_hour);
}

// Of what was shown to hold; null where nothing was, or where it costs nothing.
Json max_qps_json(const CandidateResult& r) { return r.at_good ? Json(r.good_rps) : Json(); }
Json qps_per_dollar_json(const CandidateResult& r) {
  return r.at_good && r.usd_per_hour > 0 ? Json(r.qps_per_dollar()) : Json();
}

Json configuration_json(const Candidate& c) {
  Json out = {{"gpu_type", c.gpu},
              {"num_gpus_per_replica", c.gpus_per_replica},
              {"tensor_parallel", c.tp},
              {"pipeline_parallel", c.pp},
              {"num_replicas", c.replicas},
              {"spare_replicas", c.spare},
              {"total_gpus", c.total_gpus()},
              {"scheduler", c.batching_rule},
              {"max_batch_size", c.max_num_seqs}};
  if (c.max_num_batched_tokens > 0) out["max_num_batched_tokens"] = c.max_num_batched_tokens;
  if (!c.router.empty()) out["routing_policy"] = c.router;
  return out;
}

Json performance_json(const PlanReport& report, const CandidateResult& r) {
  if (!r.at_good) return {{"max_sustainable_qps", nullptr}};
  Json out = {{"max_sustainable_qps", sustained_rps(report.plan, r)},
              {"at_range_end", is_at_range_end(report.request, r)}};
  const GroupSummary& c = r.at_good->summary.cluster;
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
  return out;
}

Json purchase_json(const Bill& bill) {
  Json out = Json::array();
  for (const BillLine& line : bill.lines) {
    const Price& p = line.price;
    out.push_back({{"commitment", p.commitment},
                   {"replicas", line.replicas},
                   {"instances", line.instances},
                   {"gpus", line.instances * p.gpus},
                   {"idle_gpus", line.idle_gpus},
                   {"usd_per_hour", line.usd_per_hour()},
                   {"usd_per_gpu_hour", p.usd_per_gpu_hour()},
                   {"vendor", p.vendor},
                   {"region", p.region},
                   {"instance", p.instance},
                   {"date", p.date},
                   {"source", p.source}});
  }
  return out;
}

Json spare_json(const CandidateResult& r) {
  return {{"failures", r.fleet.failures},
          {"spot", r.fleet.spot},
          {"warm", r.fleet.warm},
          {"cold_start_s", r.cold_start_s}};
}

Json api_json(const Economics& economics, const CandidateResult& r) {
  const auto api = api_cost_of(economics, r);
  if (!api) return nullptr;
  return {{"cost_per_hour", api->usd_per_hour},
          {"cost_per_1k_requests", api->usd_per_1k_requests},
          {"break_even_qps", finite(api->break_even_rps)}};
}

Json cost_json(const CandidateResult& r) {
  const PlanCost cost = cost_of(r);
  Json out = {{"cost_per_hour", cost_per_hour_json(r)},
              {"cost_per_1k_requests", finite(cost.usd_per_1k_requests)},
              {"cost_per_million_output_tokens", finite(cost.usd_per_million_tokens)},
              {"qps_per_dollar", qps_per_dollar_json(r)},
              {"energy_wh_per_1k_output_tokens", finite(cost.wh_per_1k_tokens)}};
  if (r.price) {
    out["price_source"] = r.price->source;
    out["price_date"] = r.price->date;
  }
  return out;
}

// Met, missed, or null where there is no such limit.
Json met(const std::vector<Slo>& slos, const LoadProbe& probe, SloMetric metric) {
  Json out = nullptr;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    if (slos[i].metric != metric) continue;
    const bool holds = probe.slos[i].answer == Answer::holds;
    out = out.is_null() ? holds : out.get<bool>() && holds;
  }
  return out;
}

Json compliance_json(const PlanRequest& request, const CandidateResult& r) {
  const std::vector<Slo>& slos = request.slos;
  Json out = {{"meets_all_slos", keeps_limits(request, r)}};
  const LoadProbe* probe = r.at_good ? &*r.at_good : r.at_bad ? &*r.at_bad : nullptr;
  if (probe == nullptr) return out;
  out["ttft_slo_met"] = met(slos, *probe, SloMetric::ttft);
  out["tbt_slo_met"] = met(slos, *probe, SloMetric::itl);
  if (out["tbt_slo_met"].is_null()) out["tbt_slo_met"] = met(slos, *probe, SloMetric::tpot);
  out["latency_slo_met"] = met(slos, *probe, SloMetric::e2e);
  Json& all = out["slos"] = Json::array();
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const SloFigure& f = probe->slos[i];
    const double target = to_ms(slos[i].limit);
    Json interval = nullptr;
    if (f.interval_ms) interval = Json::array({f.interval_ms->low, f.interval_ms->high});
    all.push_back({{"slo", text_of(slos[i])},
                   {"metric", key_of(slos[i])},
                   {"value_ms", f.value_ms},
                   {"target_ms", target},
                   {"margin", 1 - f.value_ms / target},
                   {"interval", interval},
                   {"answer", name_of(f.answer)}});
  }
  return out;
}

Json interval_json(const Plan& plan, const CandidateResult& r) {
  const bool best = plan.best && &plan.candidates[*plan.best] == &r;
  return {{"max_sustainable_qps", answer_interval_json(sustained_rps(plan, r), sampled_rps(plan, r),
                                                       best ? plan.model_rps : std::nullopt)}};
}

// Null where nothing was measured.
Json extrapolated_json(const PlanReport& report, const CandidateResult& r) {
  const std::string what = extrapolation_of(report, r);
  return report.extrapolations.empty() || what.empty() ? Json() : Json(what);
}

Json best_json(const PlanReport& report, const CandidateResult& r) {
  Json out = configuration_json(r.candidate);
  out["config_id"] = r.id;
  out["performance"] = performance_json(report, r);
  if (report.plan.headroom && report.best() == &r) {
    out["headroom"] = report.plan.headroom->good_rps / r.good_rps - 1;
  }
  out["cost"] = cost_json(r);
  out["cost"]["purchase"] = purchase_json(r.bill);
  out["cost"]["api"] = api_json(report.request.economics, r);
  out["extrapolated"] = extrapolated_json(report, r);
  out["spare"] = spare_json(r);
  out["slo_compliance"] = compliance_json(report.request, r);
  out["intervals"] = interval_json(report.plan, r);
  if (r.at_good) {
    const ProbeSummary& s = r.at_good->summary;
    out["bottleneck"] = s.bottleneck.resource;
    out["figures"] = Json::object();
    out["figures"]["rate_rps"] = r.at_good->rate_rps;
    out["figures"]["requests"] = r.at_good->requests;
    out["figures"]["intervals"] = intervals_json(s.intervals, std::nullopt);
  }
  out["run"] = run_command(r);
  return out;
}

Json point_json(const PlanRequest& request, const CandidateResult& r) {
  return {{"config_id", r.id},
          {"max_qps", max_qps_json(r)},
          {"at_range_end", is_at_range_end(request, r)},
          {"cost_per_hour", cost_per_hour_json(r)},
          {"qps_per_dollar", qps_per_dollar_json(r)},
          {"gpu_type", r.candidate.gpu},
          {"total_gpus", r.candidate.total_gpus()}};
}

Json candidate_json(const PlanReport& report, const CandidateResult& r) {
  Json out = {{"config_id", r.id},
              {"config", configuration_json(r.candidate)},
              {"max_qps", max_qps_json(r)},
              {"cost_per_hour", cost_per_hour_json(r)},
              {"qps_per_dollar", qps_per_dollar_json(r)},
              {"fate", name_of(r.fate)},
              {"reason", r.reason},
              {"extrapolated", extrapolated_json(report, r)}};
  if (r.at_good || r.at_bad) {
    out["metrics"] = performance_json(report, r);
    out["slo_compliance"] = compliance_json(report.request, r);
    out["intervals"] = interval_json(report.plan, r);
  }
  return out;
}

Json inputs_json(const PlanRequest& r) {
  const auto given = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json slos = Json::array();
  for (const Slo& slo : r.slos) slos.push_back(text_of(slo));
  return {{"objective", name_of(objectives(), r.objective)},
          {"rate_rps", given(r.rate_rps)},
          {"arrival_rate_range",
           r.highest_rps > 0 ? Json::array({r.lowest_rps, r.highest_rps}) : Json()},
          {"limits", slos},
          {"max_cost_per_hour", given(r.max_usd_per_hour)},
          {"max_gpus", given(r.max_gpus)},
          {"min_qps", r.min_rps},
          {"spare", r.spare},
          {"gpu_types", r.space.gpus},
          {"duration_s", r.duration_s}};
}

// Runs of numbers by their first and last one: "1-12, 15".
std::string ranges_text(const std::vector<std::int64_t>& ids) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
    parts.push_back(std::to_string(ids[i]));
    if (end > i + 1) parts.back() += "-" + std::to_string(ids[end - 1]);
    i = end;
  }
  return join(parts, ", ");
}

Json pruned_json(const Plan& plan) {
  Json out = Json::array();
  for (const PrunedGroup& group : pruned_groups(plan)) {
    out.push_back({{"reason", group.reason},
                   {"count", group.ids.size()},
                   {"config_ids", ranges_text(group.ids)}});
  }
  return out;
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  const Plan& plan = report.plan;
  Json out = {{"schema_version", kSchemaVersion}};
  if (!report.timestamp.empty()) out["timestamp"] = report.timestamp;
  out["model"] = report.model;
  out["input_profile"] = report.request.profile.empty() ? Json() : Json(report.request.profile);
  out["inputs"] = inputs_json(report.request);
  const CandidateResult* best = report.best();
  out["best_configuration"] = best == nullptr ? Json() : best_json(report, *best);
  out["pareto_frontier"] = Json::array();
  for (const std::size_t i : plan.frontier) {
    out["pareto_frontier"].push_back(point_json(report.request, plan.candidates[i]));
  }
  out["ties"] = Json::array();
  for (const std::size_t i : plan.ties) out["ties"].push_back(plan.candidates[i].id);
  out["cheapest_known"] =
      plan.cheapest_known ? Json(plan.candidates[*plan.cheapest_known].id) : Json();
  out["all_candidates"] = Json::array();
  for (const CandidateResult& r : plan.candidates) {
    if (r.fate != Fate::pruned) out["all_candidates"].push_back(candidate_json(report, r));
  }
  out["pruned_candidates"] = pruned_json(plan);
  const PlanCounts counts = counts_of(report.request, plan);
  out["summary"] = {{"num_configs", plan.candidates.size()},
                    {"num_configs_evaluated", counts.evaluated},
                    {"num_configs_meeting_slos", counts.feasible},
                    {"num_simulations", plan.probes}};
  if (!report.timestamp.empty()) out["summary"]["total_simulation_time_s"] = report.elapsed_s;
  const std::string verdict = plan_verdict(report);
  out["summary"]["recommendation"] = verdict.substr(0, verdict.size() - 1);
  out["advice"] = plan_advice(report);
  out["assumed"] = report.assumed;
  out["provenance"] = report.provenance;
  out["interrupted"] = plan.interrupted;
  return out.dump(2) + "\n";
}

std::string fleet_json(const FleetReport& report) {
  Json out = {{"schema_version", kSchemaVersion}, {"models", Json::array()}};
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    const PlanReport& plan = report.models[i];
    const CandidateResult* chosen = report.chosen(i);
    out["models"].push_back(
        {{"name", report.names[i]},
         {"model", plan.model},
         {"rate_rps", *plan.request.rate_rps},
         {"served", chosen != nullptr},
         {"configuration", chosen == nullptr ? Json() : best_json(plan, *chosen)},
         {"shortage", chosen == nullptr ? Json(shortage_text(report, i)) : Json()},
         {"num_configs", plan.plan.candidates.size()},
         {"num_simulations", plan.plan.probes},
         {"assumed", plan.assumed}});
  }
  out["total_gpus"] = report.choice.gpus;
  out["cost_per_hour"] = report.choice.usd_per_hour;
  out["max_gpus"] = report.caps.gpus ? Json(*report.caps.gpus) : Json();
  out["max_cost_per_hour"] = report.caps.usd_per_hour ? Json(*report.caps.usd_per_hour) : Json();
  const std::string verdict = fleet_verdict(report);
  out["recommendation"] = verdict.substr(0, verdict.size() - 1);
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
