#include <algorithm>
#include <map>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"
#include "report/plan/fleet.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

constexpr int kPlanSchema = 1;

// ---- what was asked

// Null where nothing was listed: the deployment has it by itself, or the search finds it.
template <class T>
Json listed(const std::vector<T>& values) {
  return values.empty() ? Json() : Json(values);
}

// The values that candidates have, each once; those that could not be deployed may have none.
template <class T>
Json searched(const Plan& plan, T Candidate::*part) {
  std::vector<T> values;
  for (const CandidateResult& r : plan.candidates) {
    const T& value = r.candidate.*part;
    if (value != T{}) add_once(&values, value);
  }
  return values;
}

Json entries_json(const std::vector<ConfigEntry>& entries) {
  Json out = Json::object();
  for (const ConfigEntry& entry : entries) {
    out[entry.key] = std::visit([](const auto& value) { return Json(value); }, entry.value);
  }
  return out;
}

std::string purchase_text(const Purchase& purchase) {
  std::vector<std::string> parts = mapped(purchase.shares, [](const PurchaseShare& share) {
    return share.commitment + "=" + shortest(100 * share.share);
  });
  return parts.empty() ? std::string(kOnDemand) + "=100" : join(parts, ",");
}

Json economics_json(const Economics& e) {
  return {{"purchase", purchase_text(e.purchase)},
          {"spot_loss", e.purchase.spot_loss},
          {"growth_per_minute", e.growth_per_minute},
          {"cold_start_s", e.cold_start_s},
          {"api_price", e.api ? Json{e.api->usd_input, e.api->usd_output} : Json()}};
}

Json price_json(const std::string& gpu, const Price& p) {
  Json out = {{"gpu_type", gpu}};
  put_offer(p, &out);
  return out;
}

// The least that a candidate pays for each GPU type and way to buy it.
Json prices_json(const Plan& plan) {
  std::map<std::pair<std::string, std::string>, Price> least;
  const auto take = [&](const std::string& gpu, const Price& price) {
    const auto [at, is_new] = least.try_emplace({gpu, price.commitment}, price);
    if (!is_new && price.usd_per_gpu_hour() < at->second.usd_per_gpu_hour()) at->second = price;
  };
  for (const CandidateResult& r : plan.candidates) {
    if (r.bill.lines.empty() && r.price) take(r.candidate.gpu, *r.price);
    for (const BillLine& line : r.bill.lines) {
      const bool is_own = line.price.gpu == r.bill.lines.front().price.gpu;
      take(is_own ? r.candidate.gpu : r.candidate.gpu_of_other(), line.price);
    }
  }
  Json out = Json::array();
  for (const auto& [gpu_and_kind, price] : least) {
    out.push_back(price_json(gpu_and_kind.first, price));
  }
  return out;
}

// Each once, in the order of the space.
Json divisions_json(const Plan& plan) {
  Json out = Json::array();
  for (const CandidateResult& r : plan.candidates) {
    const Json division = describe_disaggregation(r.candidate);
    if (std::ranges::find(out, division) == out.end()) out.push_back(division);
  }
  return out;
}

// The question of a report, the space that was searched and the prices with it.
Json plan_inputs_json(const PlanReport& report) {
  const PlanRequest& r = report.request;
  const Plan& plan = report.plan;
  Json out = {{"objective", name_of(objectives(), r.objective)},
              {"rate_rps", r.rate_rps},
              {"arrival_rate_range",
               r.highest_rps > 0 ? Json::array({r.lowest_rps, r.highest_rps}) : Json()},
              {"limits", Json::array_of(r.slos, [](const Slo& slo) { return text_of(slo); })},
              {"max_cost_per_hour", r.max_usd_per_hour},
              {"max_gpus", r.max_gpus},
              {"min_qps", r.min_rps},
              {"spare", r.spare},
              {"gpu_types", r.space.gpus},
              {"num_gpus", listed(r.space.num_gpus)},
              {"tensor_parallel", searched(plan, &Candidate::tp)},
              {"pipeline_parallel", searched(plan, &Candidate::pp)},
              {"data_parallel", searched(plan, &Candidate::dp)},
              {"expert_parallel", listed(r.space.expert_parallel)},
              {"quantization", listed(r.space.quantizations)},
              {"num_replicas", listed(r.space.replicas)},
              {"schedulers", searched(plan, &Candidate::batching_rule)},
              {"max_batch_sizes", searched(plan, &Candidate::max_num_seqs)},
              {"max_num_batched_tokens", listed(r.space.max_num_batched_tokens)},
              {"routing_policies", listed(mapped(r.space.routers, shown_router))},
              {"duration_s", r.duration_s},
              {"warmup_s", r.warmup_s},
              {"seed", report.inputs.seed}};
  if (!r.space.disaggregation.empty()) out["disaggregation"] = divisions_json(plan);
  if (r.space.mixes_gpus) out["mix_gpu_types"] = true;
  if (!r.available_gpus.empty()) {
    Json& available = out["available_gpus"] = Json::object();
    for (const auto& [gpu, most] : r.available_gpus) available[gpu] = most;
  }
  out["economics"] = economics_json(r.economics);
  out["prices"] = prices_json(plan);
  out["traffic"] = entries_json(report.inputs.traffic);
  out["flags"] = entries_json(report.inputs.flags);
  out["files"] = Json::object();
  for (const FileDigest& file : report.inputs.files) out["files"][file.path] = file.digest;
  return out;
}

// ---- what was found

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
  Json out = {{"decision", fleet_decision_json(report)}, {"schema_version", kFleetSchema}};
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
  out["recommendation"] = out["decision"]["answer"];
  out["interrupted"] = report.is_interrupted();
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
