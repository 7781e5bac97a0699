#include "base/json.h"
#include "base/text.h"
#include "report/plan/figures.h"
#include "report/plan/fleet.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

constexpr int kPlanSchema = 1;

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

Json pruned_json(const PlanReport& report) {
  return Json::array_of(pruned_groups(report), [](const PrunedGroup& group) {
    return Json{{"reason", group.reason},
                {"count", group.ids.size()},
                {"config_ids", ranges_text(group.ids)}};
  });
}

constexpr int kFleetSchema = 1;

Json model_json(const FleetReport& report, std::size_t i) {
  const PlanReport& plan = report.models[i];
  const CandidateResult* chosen = plan.best();
  return {{"name", report.names[i]},
          {"model", plan.model},
          {"rate_rps", *plan.request.rate_rps},
          {"inputs", plan_inputs_json(plan)},
          {"served", chosen != nullptr},
          {"configuration", chosen == nullptr ? Json() : plan_best_json(plan, *chosen)},
          {"shortage", chosen == nullptr ? Json(shortage_text(report, i)) : Json()},
          {"num_configs", plan.plan.candidates.size()},
          {"num_simulations", plan.plan.probes},
          {"assumed", plan.assumed},
          {"provenance", plan.provenance}};
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  const Plan& plan = report.plan;
  const Decision decision = decision_of(report);
  Json out = {{"decision", decision_json(decision)}, {"schema_version", kPlanSchema}};
  if (!report.timestamp.empty()) out["timestamp"] = report.timestamp;
  out["model"] = report.model;
  out["input_profile"] = report.request.profile.empty() ? Json() : Json(report.request.profile);
  out["inputs"] = plan_inputs_json(report);
  const CandidateResult* best = report.best();
  out["best_configuration"] = best == nullptr ? Json() : plan_best_json(report, *best);
  out["pareto_frontier"] = Json::array_of(plan.frontier, [&](const std::size_t i) {
    return plan_point_json(report.request, plan.candidates[i]);
  });
  out["ties"] =
      Json::array_of(plan.ties, [&](const std::size_t i) { return plan.candidates[i].id; });
  out["cheapest_known"] =
      plan.cheapest_known ? Json(plan.candidates[*plan.cheapest_known].id) : Json();
  out["known_replicas_with_slow_steps"] =
      plan.known_with_slow_steps > 0 ? Json(plan.known_with_slow_steps) : Json();
  out["replicas_with_slow_steps"] =
      plan.best_with_slow_steps > 0 ? Json(plan.best_with_slow_steps) : Json();
  if (const auto& plain = plan.plain_with_reserve)
    out["instead"] = {{"candidate", plan.candidates[plain->index].id},
                      {"replicas", plain->replicas}};
  if (plan.asks_division()) out["disaggregation"] = division_json(report);
  if (plan.asks_mixes()) out["mix"] = mix_json(report);
  out["all_candidates"] = Json::array();
  for (const CandidateResult& r : plan.candidates) {
    if (r.fate != Fate::pruned) out["all_candidates"].push_back(plan_candidate_json(report, r));
  }
  out["pruned_candidates"] = pruned_json(report);
  const PlanCounts counts = counts_of(report.request, plan);
  out["summary"] = {{"num_configs", plan.candidates.size()},
                    {"num_configs_evaluated", counts.evaluated},
                    {"num_configs_meeting_slos", counts.feasible},
                    {"num_simulations", plan.probes}};
  if (!report.timestamp.empty()) out["summary"]["total_simulation_time_s"] = report.elapsed_s;
  out["summary"]["recommendation"] = decision_text(decision);
  out["advice"] = plan_advice(report);
  out["assumed"] = report.assumed;
  out["provenance"] = report.provenance;
  out["interrupted"] = plan.interrupted;
  return out.dump(2) + "\n";
}

std::string fleet_json(const FleetReport& report) {
  Json out = {{"schema_version", kFleetSchema}};
  if (!report.timestamp.empty()) out["timestamp"] = report.timestamp;
  out["models"] = Json::array();
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    out["models"].push_back(model_json(report, i));
  }
  out["total_gpus"] = report.choice.gpus;
  out["cost_per_hour"] = report.choice.usd_per_hour;
  out["max_gpus"] = report.caps.gpus;
  out["max_cost_per_hour"] = report.caps.usd_per_hour;
  if (!report.timestamp.empty()) out["total_simulation_time_s"] = report.elapsed_s;
  const std::string verdict = fleet_verdict(report);
  out["recommendation"] = verdict.substr(0, verdict.size() - 1);
  out["interrupted"] = report.is_interrupted();
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
