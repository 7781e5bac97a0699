#include "report/plan/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "report/form/typed_word.h"

namespace plimsoll {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double ratio(double a, double b) { return b > 0 ? a / b : kInfinite; }

// Words with figures blanked, and nouns after them in the singular: "needs 2 replicas, more than
// $5.00" -> "needs # replica more than #".
std::string kind_of(const std::string& reason) {
  std::string kind;
  bool counts = false;
  for (std::size_t begin = 0; begin < reason.size();) {
    const std::size_t end = std::min(reason.find(' ', begin), reason.size());
    std::string word = reason.substr(begin, end - begin);
    const bool figure = word.find_first_of("0123456789") != std::string::npos;
    while (!word.empty() && (word.back() == ',' || word.back() == ':')) word.pop_back();
    if (counts && word.size() > 1 && word.back() == 's') word.pop_back();
    kind += (figure ? "#" : word) + " ";
    counts = figure;
    begin = end + 1;
  }
  return kind;
}

template <class KindOf>
std::vector<PrunedGroup> grouped_by(const Plan& plan, KindOf kind_of_reason) {
  std::vector<PrunedGroup> groups;
  std::map<std::string, std::size_t> index;
  for (const CandidateResult& r : plan.candidates) {
    if (r.fate != Fate::pruned) continue;
    const auto [at, is_new] = index.try_emplace(kind_of_reason(r.reason), groups.size());
    if (is_new) groups.push_back({r.reason, {}});
    groups[at->second].ids.push_back(r.id);
  }
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [](const PrunedGroup& g) { return g.ids.size(); });
  return groups;
}

}  // namespace

PlanCost cost_of(const CandidateResult& r) {
  PlanCost cost;
  cost.usd_per_1k_requests = ratio(r.usd_per_hour, 3.6 * r.good_rps);
  const GroupSummary* cluster = r.at_good ? &r.at_good->summary.cluster : nullptr;
  const double tokens_per_s = cluster == nullptr ? 0 : cluster->tokens_per_sec;
  cost.usd_per_million_tokens = ratio(r.usd_per_hour * 1e6, 3600 * tokens_per_s);
  const double watts =
      cluster == nullptr
          ? 0
          : r.tdp_w * cluster->utilization *
                static_cast<double>(r.candidate.gpus_per_replica() * r.candidate.replicas);
  cost.wh_per_1k_tokens = ratio(watts / 3600 * 1e3, tokens_per_s);
  return cost;
}

std::optional<ApiCost> api_cost_of(const Economics& economics, const CandidateResult& r) {
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
  ApiCost api;
  api.usd_per_1k_requests = 1e3 * usd_per_request;
  api.usd_per_hour = 3600 * usd_per_request * r.good_rps;
  api.break_even_rps = ratio(r.usd_per_hour, 3600 * usd_per_request);
  return api;
}

double sustained_rps(const Plan& plan, const CandidateResult& r) {
  const bool best = plan.best && &plan.candidates[*plan.best] == &r;
  return best && plan.headroom ? plan.headroom->good_rps : r.good_rps;
}

Interval sampled_rps(const Plan& plan, const CandidateResult& r) {
  const bool best = plan.best && &plan.candidates[*plan.best] == &r;
  const double bad = best && plan.headroom ? plan.headroom->bad_rps : r.bad_rps;
  return {sustained_rps(plan, r), bad > 0 ? bad : kInfinite};
}

bool keeps_limits(const PlanRequest& request, const CandidateResult& r) {
  return r.at_good && r.good_rps > 0 && r.good_rps >= std::max(request.min_rps, request.lowest_rps);
}

bool is_at_range_end(const PlanRequest& request, const CandidateResult& r) {
  return !request.rate_rps && r.at_good && request.highest_rps > 0 &&
         r.good_rps >= request.highest_rps;
}

PlanCounts counts_of(const PlanRequest& request, const Plan& plan) {
  PlanCounts counts;
  for (const CandidateResult& r : plan.candidates) {
    counts.evaluated += r.at_good || r.at_bad || r.fate == Fate::unclear ? 1 : 0;
    counts.feasible += keeps_limits(request, r) ? 1 : 0;
  }
  return counts;
}

std::vector<PrunedGroup> pruned_groups(const Plan& plan) {
  return grouped_by(plan, [](const std::string& reason) { return reason; });
}

std::vector<PrunedGroup> pruned_kinds(const Plan& plan) { return grouped_by(plan, kind_of); }

std::string first_of(const Plan& plan, const PrunedGroup& group) {
  const Candidate& first =
      plan.candidates[static_cast<std::size_t>(group.ids.front() - 1)].candidate;
  return fmt::format("{} {}: {}", first.gpu, describe_layout(first), group.reason);
}

std::string run_command(const CandidateResult& r) {
  std::string command = "plimsoll run";
  for (const std::string& flag : r.flags) {
    const std::string name = flag.substr(0, flag.find('='));
    if (name == "--num-requests" || name == "--seed") continue;  // those of the test
    command += typed_word(flag);
  }
  command += fmt::format(" --num-instances {}", r.candidate.replicas);
  if (!r.at_good) return command;
  command += fmt::format(" --rate {} --num-requests {} --seed {}", shortest(r.at_good->rate_rps),
                         r.at_good->requests, r.at_good->seed);
  if (r.warmup_is_asked) {
    return command + fmt::format(" --warmup {}s", shortest(r.at_good->state.warmup_s));
  }
  return r.at_good->state.verdict == SteadyVerdict::steady ? command + " --warmup auto" : command;
}

}  // namespace plimsoll
