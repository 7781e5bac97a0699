#include "base/json.h"
#include "base/text.h"
#include "report/plan/candidate_json.h"
#include "report/plan/fleet.h"

namespace plimsoll {
namespace {

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

std::string fleet_json(const FleetReport& report) {
  Json out = {{"schema_version", kFleetSchema}};
  if (!report.timestamp.empty()) out["timestamp"] = report.timestamp;
  out["models"] = Json::array();
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    out["models"].push_back(model_json(report, i));
  }
  out["total_gpus"] = report.choice.gpus;
  out["cost_per_hour"] = report.choice.usd_per_hour;
  out["max_gpus"] = report.caps.gpus ? Json(*report.caps.gpus) : Json();
  out["max_cost_per_hour"] = report.caps.usd_per_hour ? Json(*report.caps.usd_per_hour) : Json();
  if (!report.timestamp.empty()) out["total_simulation_time_s"] = report.elapsed_s;
  const std::string verdict = fleet_verdict(report);
  out["recommendation"] = verdict.substr(0, verdict.size() - 1);
  out["interrupted"] = report.is_interrupted();
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
