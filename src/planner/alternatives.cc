#include "planner/alternatives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "planner/plan_figures.h"

namespace plimsoll {
namespace {

double money_or_gpus(const PlanRequest& request, const CandidateResult& r, double usd,
                     std::int64_t gpus) {
  const bool by_gpus = request.objective == Objective::least_gpus || !r.price;
  return by_gpus ? static_cast<double>(gpus) : usd;
}

// What it costs at least, for a request where no rate is to be held; infinite: it does not hold.
double least_cost(const PlanRequest& request, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (!a.is_bound && !keeps_limits(request, r)) return std::numeric_limits<double>::infinity();
  const double cost = money_or_gpus(request, r, a.usd_per_hour(), a.candidate().total_gpus());
  const double rate = request.rate_rps ? 1 : a.is_bound ? r.bound->rate_rps : r.good_rps;
  return cost / rate;
}

// Of what does not hold: what came nearest. Tested before not, then by what arithmetic hopes for.
std::pair<bool, double> promise(const CandidateResult& r) {
  const double hoped = r.estimate.rate_rps * static_cast<double>(r.candidate.replicas);
  return {r.at_good || r.at_bad, r.fate == Fate::pruned ? 0 : hoped};
}

// Less is better: among equals what was tested.
auto rank(const PlanRequest& request, const Alternative& a) {
  const auto [tested, hoped] = promise(*a.result);
  return std::tuple(least_cost(request, a), a.is_bound, !tested, -hoped);
}

std::map<std::string, Alternative> best_of_each_gpu(const PlanRequest& request, const Plan& plan) {
  std::map<std::string, Alternative> best;
  for (const CandidateResult& r : plan.candidates) {
    for (const bool is_bound : {false, true}) {
      if (is_bound && !r.bound) continue;
      const Alternative a{&r, is_bound};
      const auto [at, is_first] = best.try_emplace(r.candidate.gpu, a);
      if (!is_first && rank(request, a) < rank(request, at->second)) at->second = a;
    }
  }
  return best;
}

}  // namespace

std::vector<Alternative> alternatives_of(const PlanRequest& request, const Plan& plan,
                                         const AlternativesAsked& asked) {
  std::vector<Alternative> chosen;
  const auto add = [&](const Alternative& a) {
    if (std::ranges::count(chosen, a.result, &Alternative::result) == 0) chosen.push_back(a);
  };
  if (plan.best) add({&plan.candidates[*plan.best]});
  if (plan.cheapest_known) add({&plan.candidates[*plan.cheapest_known]});
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
