#include "report/plan/inputs.h"

#include <algorithm>
#include <map>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/words.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

// Null where nothing was listed: the deployment has it by itself, or the search finds it.
template <class T>
Json listed(const std::vector<T>& values) {
  return values.empty() ? Json() : Json(values);
}

// What the candidates have of it, each value once; those that could not be deployed may have none.
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

// Of each GPU type and way to buy it, the least that a candidate pays.
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

}  // namespace

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
              {"num_replicas", listed(r.space.replicas)},
              {"schedulers", searched(plan, &Candidate::batching_rule)},
              {"max_batch_sizes", searched(plan, &Candidate::max_num_seqs)},
              {"max_num_batched_tokens", listed(r.space.max_num_batched_tokens)},
              {"routing_policies", listed(r.space.routers)},
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

}  // namespace plimsoll
