#include "planner/plan_figures.h"

#include <algorithm>
#include <tuple>

#include "base/lists.h"
#include "planner/answer_error.h"

namespace plimsoll {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double ratio(double a, double b) { return b > 0 ? a / b : kInfinite; }

// A limit on the time between tokens, which grows with the batch.
bool breaks_gaps(const PlanRequest& request, const LoadProbe& probe) {
  if (probe.state.verdict == SteadyVerdict::overloaded) return false;
  for (std::size_t i = 0; i < probe.slos.size(); ++i) {
    const Latency metric = request.slos[i].metric;
    const bool is_gap = metric == &GroupSummary::itl || metric == &GroupSummary::tpot;
    if (is_gap && probe.slos[i].answer == Answer::fails) return true;
  }
  return false;
}

double money_or_gpus(const PlanRequest& request, const CandidateResult& r, double usd,
                     std::int64_t gpus) {
  const bool by_gpus = request.objective == Objective::least_gpus || !r.price;
  return by_gpus ? static_cast<double>(gpus) : usd;
}

// What it costs at least, for a request where no rate is to be held; infinite: it does not hold.
double least_cost(const PlanRequest& request, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (!a.is_bound() && !keeps_limits(request, r)) return std::numeric_limits<double>::infinity();
  const double cost = money_or_gpus(request, r, a.usd_per_hour(), a.candidate().total_gpus());
  return cost / (request.rate_rps ? 1 : a.rate_rps());
}

// Of what does not hold: what came nearest. Tested before not, then by what arithmetic hopes for.
std::pair<bool, double> promise(const CandidateResult& r) {
  const double hoped = r.estimate.rate_rps * static_cast<double>(r.candidate.replicas);
  return {r.at_good || r.at_bad, r.fate == Fate::pruned ? 0 : hoped};
}

// Less is better: among equals what was tested.
auto rank(const PlanRequest& request, const Alternative& a) {
  const auto [tested, hoped] = promise(*a.result);
  return std::tuple(least_cost(request, a), a.is_bound(), !tested, -hoped);
}

// How far it is from what was asked, in shares: of the limit that it misses by most, or of the
// rate.
double excess(const PlanRequest& request, const CandidateResult& c) {
  if (c.at_good) return c.good_rps > 0 ? request.least_rps() / c.good_rps : 0;
  if (!c.at_bad || c.at_bad->state.verdict == SteadyVerdict::overloaded) return kInfinite;
  double most = 0;
  for (std::size_t i = 0; i < request.slos.size(); ++i)
    most = std::max(most, c.at_bad->slos[i].value_ms / to_ms(request.slos[i].limit));
  return most;
}

std::map<std::string, Alternative> best_of_each_gpu(const PlanRequest& request, const Plan& plan) {
  std::map<std::string, Alternative> best;
  for (const CandidateResult& r : plan.candidates) {
    const Alternative a{&r};
    const auto [at, is_first] = best.try_emplace(
        r.candidate.mixes() ? describe_gpu_types(r.candidate) : r.candidate.gpu, a);
    if (!is_first && rank(request, a) < rank(request, at->second)) at->second = a;
  }
  return best;
}

}  // namespace

PlanCost cost_of(const CandidateResult& r, double rate_rps) {
  PlanCost cost;
  cost.usd_per_1k_requests = ratio(r.usd_per_hour, 3.6 * rate_rps);
  const GroupSummary* cluster = r.at_good ? &r.at_good->summary.cluster : nullptr;
  const double tokens_per_s =
      cluster == nullptr ? 0 : cluster->tokens_per_sec * (rate_rps / r.good_rps);
  cost.usd_per_million_tokens = usd_per_million_tokens(r.usd_per_hour, tokens_per_s);
  if (cluster != nullptr && cluster->efficiency) {
    cost.wh_per_1k_tokens = 1e3 * cluster->efficiency->energy_j_per_output_token / 3600;
  }
  return cost;
}

std::optional<ApiCost> api_cost_of(const Economics& economics, const CandidateResult& r,
                                   double rate_rps) {
  const GroupSummary* cluster = r.at_good ? &r.at_good->summary.cluster : nullptr;
  if (!economics.api || cluster == nullptr || r.bill.lines.empty() || cluster->completed == 0) {
    return std::nullopt;
  }
  const auto mean = [](std::int64_t tokens, std::int64_t requests) {
    return static_cast<double>(tokens) / static_cast<double>(requests);
  };
  const double usd_per_request =
      (mean(cluster->total_input_tokens, cluster->injected) * economics.api->usd_input +
       mean(cluster->total_output_tokens, cluster->completed) * economics.api->usd_output) /
      1e6;
  return ApiCost{.usd_per_1k_requests = 1e3 * usd_per_request,
                 .usd_per_hour = 3600 * usd_per_request * rate_rps,
                 .break_even_rps = ratio(r.usd_per_hour, 3600 * usd_per_request)};
}

double sustained_rps(const Plan& plan, const CandidateResult& r) {
  return plan.is_best(r) && plan.headroom ? plan.headroom->good_rps : r.good_rps;
}

Interval sampled_rps(const Plan& plan, const CandidateResult& r) {
  const double bad = plan.is_best(r) && plan.headroom ? plan.headroom->bad_rps : r.bad_rps;
  return {sustained_rps(plan, r), bad > 0 ? bad : kInfinite};
}

Interval served_rps(const Plan& plan, const CandidateResult& r) {
  return whole_interval(sustained_rps(plan, r), sampled_rps(plan, r),
                        plan.is_best(r) ? plan.model_rps : std::nullopt);
}

double usd_of_more(const CandidateResult& r, std::int64_t replicas) {
  const Candidate& c = r.candidate;
  const std::int64_t paid = c.replicas + c.spare;
  std::int64_t instances = 0;
  double usd_before = 0;
  for (const BillLine& bought : r.bill.lines) {
    if (bought.price.commitment != kOnDemand || bought.price.gpu != c.gpu) continue;
    instances += bought.replicas;
    usd_before += bought.usd_per_hour();
  }
  const bool is_unlike_split = c.splits() && c.has_unlike_pools();
  if (instances > 0 && !is_unlike_split) {
    const std::int64_t more = (c.splits() ? c.instances(1) : 1) * (replicas - paid);
    const Bill bill = on_demand_bill(r.on_demand, c.gpus_per_instance(), instances + more);
    return r.usd_per_hour - usd_before + bill.usd_per_hour();
  }
  double usd_of_own = r.usd_per_hour;
  if (c.mixes() && !r.bill.lines.empty()) {
    usd_of_own = 0;
    for (const BillLine& bought : r.bill.lines) {
      if (bought.price.gpu == r.bill.lines.front().price.gpu) usd_of_own += bought.usd_per_hour();
    }
  }
  return r.usd_per_hour +
         usd_of_own * static_cast<double>(replicas - paid) / static_cast<double>(paid);
}

bool fails_with_spare(const PlanRequest& request, const Plan& plan, const CandidateResult& best) {
  return best.candidate.spare > 0 && plan.headroom && plan.headroom->good_rps <= 0 &&
         plan.headroom->bad_rps <= *request.rate_rps;
}

bool keeps_limits(const PlanRequest& request, const CandidateResult& r) {
  return r.at_good && r.good_rps > 0 && r.good_rps >= request.least_rps();
}

bool is_at_range_end(const PlanRequest& request, const CandidateResult& r) {
  return !request.rate_rps && r.at_good && request.highest_rps > 0 &&
         r.good_rps >= request.highest_rps;
}

PlanCounts counts_of(const PlanRequest& request, const Plan& plan) {
  PlanCounts counts;
  for (const CandidateResult& r : plan.candidates) {
    counts.evaluated += r.at_good || r.at_bad || r.deciding || r.fate == Fate::unclear ? 1 : 0;
    counts.feasible += keeps_limits(request, r) ? 1 : 0;
  }
  return counts;
}

const LoadProbe* load_too_much(const PlanRequest& request, const Plan& plan,
                               const CandidateResult& best) {
  if (!request.rate_rps) return best.at_bad ? &*best.at_bad : nullptr;
  const auto& headroom = plan.headroom;
  return headroom && headroom->at_bad ? &*headroom->at_bad : nullptr;
}

const LoadProbe* open_below(const PlanRequest& request, const Plan& plan,
                            const CandidateResult& best) {
  const std::int64_t fewer = best.candidate.instances(best.candidate.replicas - 1);
  if (!request.rate_rps || best.candidate.replicas == 1) return nullptr;
  return find_where(plan.best_probes, [&](const LoadProbe& p) {
    return p.instances == fewer && p.rate_rps == *request.rate_rps && p.answer == Answer::unclear;
  });
}

const LoadProbe* refused_everywhere(const Plan& plan) {
  const LoadProbe* refused = nullptr;
  for (const CandidateResult& c : plan.candidates) {
    if (!c.deciding) continue;
    if (!c.deciding->turns_lengths_away() && !c.deciding->is_turned_away) return nullptr;
    if (refused == nullptr) refused = &*c.deciding;
  }
  return refused;
}

bool has_no_prices(const Plan& plan) {
  const auto lacks = [](const CandidateResult& c) { return !c.missing_prices.empty(); };
  return std::ranges::any_of(plan.candidates, lacks) &&
         std::ranges::all_of(plan.candidates, [&](const CandidateResult& c) {
           return lacks(c) || c.estimate.rate_rps <= 0;
         });
}

std::vector<const CandidateResult*> nearest_failures(const PlanRequest& request, const Plan& plan) {
  std::vector<const CandidateResult*> failed;
  for (const CandidateResult& c : plan.candidates) {
    if (c.fate != Fate::pruned && c.reason.cause != CandidateCause::none) failed.push_back(&c);
  }
  std::ranges::stable_sort(failed, {},
                           [&](const CandidateResult* c) { return excess(request, *c); });
  return failed;
}

std::optional<ShortResource> weakest_resource(const PlanRequest& request, const Plan& plan,
                                              const CandidateResult& best) {
  const LoadProbe* bad = load_too_much(request, plan, best);
  return bad == nullptr ? std::nullopt : std::optional(bad->summary.bottleneck.resource);
}

bool larger_batches_may_help(const PlanRequest& request, const Plan& plan,
                             const CandidateResult& best) {
  if (best.at_good && best.at_good->summary.cluster.kv_utilization > kFullKvMemory) return false;
  const std::optional<ShortResource> weakest = weakest_resource(request, plan, best);
  if (weakest == ShortResource::decode_bandwidth || weakest == ShortResource::prefill_compute ||
      weakest == ShortResource::kv_memory)
    return false;
  const LoadProbe* bad = load_too_much(request, plan, best);
  return bad == nullptr || !breaks_gaps(request, *bad);
}

Neighbours on_frontier_beside(const Plan& plan, const CandidateResult& best) {
  Neighbours beside;
  for (const std::size_t i : plan.frontier) {
    const CandidateResult& r = plan.candidates[i];
    if (r.usd_per_hour < best.usd_per_hour) beside.cheaper = &r;
    if (r.usd_per_hour > best.usd_per_hour) beside.dearer = &r;
  }
  return beside;
}

const CandidateResult* best_where(const PlanRequest& request, const Plan& plan,
                                  const std::function<bool(const CandidateResult&)>& wanted) {
  const CandidateResult* best = nullptr;
  const auto value = [&](const CandidateResult& c) {
    return request.rate_rps ? -c.usd_per_hour : c.qps_per_dollar();
  };
  for (const CandidateResult& c : plan.candidates) {
    if (!wanted(c) || !keeps_limits(request, c)) continue;
    if (best == nullptr || value(c) > value(*best)) best = &c;
  }
  return best;
}

std::vector<Alternative> alternatives_of(const PlanRequest& request, const Plan& plan,
                                         const AlternativesAsked& asked) {
  std::vector<Alternative> chosen;
  const auto add = [&](const Alternative& a) { add_once(&chosen, a, &Alternative::result); };
  if (plan.best) add({&plan.candidates[*plan.best]});
  if (plan.cheapest_known && plan.candidates[*plan.cheapest_known].at_good)
    add({&plan.candidates[*plan.cheapest_known]});
  if (plan.asks_division()) {
    for (const auto& of : {plan.best_aggregated, plan.best_split}) {
      if (of) add({&plan.candidates[of->index]});
    }
  }
  if (request.space.quantizations.size() > 1 && plan.best_stored)
    add({&plan.candidates[plan.best_stored->index]});
  if (plan.asks_mixes() && plan.best_alone) add({&plan.candidates[plan.best_alone->index]});
  if (asked.of_each_gpu) {
    for (const auto& [gpu, a] : best_of_each_gpu(request, plan)) add(a);
  }
  for (const std::size_t i : plan.frontier) add({&plan.candidates[i]});
  for (const std::size_t i : plan.ties) {
    if (chosen.size() < asked.most_tied) add({&plan.candidates[i]});
  }
  const auto cost = [](const Alternative& a) {
    return std::pair(!a.result->price, a.usd_per_hour());
  };
  std::stable_sort(chosen.begin() + (plan.best ? 1 : 0), chosen.end(),
                   [&](const Alternative& a, const Alternative& b) { return cost(a) < cost(b); });
  if (chosen.size() > asked.most) chosen.resize(asked.most);
  return chosen;
}

}  // namespace plimsoll
