#include "report/plan/alternatives.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "report/plan/figures.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMostShown = 24;

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

std::map<std::string, Alternative> best_of_each_gpu(const PlanReport& report) {
  std::map<std::string, Alternative> best;
  for (const CandidateResult& r : report.plan.candidates) {
    for (const bool is_bound : {false, true}) {
      if (is_bound && !r.bound) continue;
      const Alternative a{&r, is_bound};
      const auto [at, is_first] = best.try_emplace(r.candidate.gpu, a);
      if (!is_first && rank(report.request, a) < rank(report.request, at->second)) at->second = a;
    }
  }
  return best;
}

}  // namespace

std::vector<Alternative> alternatives_of(const PlanReport& report) {
  const Plan& plan = report.plan;
  std::vector<Alternative> shown;
  const auto add = [&](const Alternative& a) {
    if (std::ranges::count(shown, a.result, &Alternative::result) == 0) shown.push_back(a);
  };
  if (plan.best) add({&plan.candidates[*plan.best]});
  if (plan.cheapest_known) add({&plan.candidates[*plan.cheapest_known]});
  for (const auto& [gpu, a] : best_of_each_gpu(report)) add(a);
  for (const std::size_t i : plan.frontier) add({&plan.candidates[i]});
  for (const std::size_t i : plan.ties) add({&plan.candidates[i]});
  const auto cost = [](const Alternative& a) {
    return std::pair(!a.result->price, a.usd_per_hour());
  };
  std::stable_sort(shown.begin() + (plan.best ? 1 : 0), shown.end(),
                   [&](const Alternative& a, const Alternative& b) { return cost(a) < cost(b); });
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  return shown;
}

std::string untested_text(const PlanReport& report, const CandidateResult& r) {
  if (!r.bound || !r.at_good) return {};
  return report.request.rate_rps ? "fewer replicas not tested" : "higher rates not tested";
}

std::string why_not_text(const PlanReport& report, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (&r == report.best()) return "the pick";
  const auto index = static_cast<std::size_t>(&r - report.plan.candidates.data());
  std::string text = r.reason.empty() ? std::string(name_of(r.fate)) : r.reason;
  if (a.is_bound) {
    text = "a bound, not tested: " + text;
  } else {
    if (std::ranges::count(report.plan.frontier, index) > 0) text += "; on the frontier";
    if (const std::string left = untested_text(report, r); !left.empty()) text += "; " + left;
  }
  const std::string what = extrapolation_of(report, r);
  return what.empty() ? text : text + "; extrapolated: " + what;
}

}  // namespace plimsoll
