#include "report/plan/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/rate_search.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/field_text.h"

namespace plimsoll {
namespace {

template <class KeyOf>
std::vector<PrunedGroup> grouped_by(const PlanReport& report, KeyOf key_of) {
  std::vector<PrunedGroup> groups;
  std::map<decltype(key_of(report.plan.candidates.front())), std::size_t> index;
  for (const CandidateResult& r : report.plan.candidates) {
    if (r.fate != Fate::pruned) continue;
    const auto [at, is_new] = index.try_emplace(key_of(r), groups.size());
    if (is_new) groups.push_back({reason_text(r, report.request), {}});
    groups[at->second].ids.push_back(r.id);
  }
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [](const PrunedGroup& g) { return g.ids.size(); });
  return groups;
}

// Equal for reasons that differ in their figures alone.
auto kind_of(const CandidateResult& r) {
  const std::string refusal = !r.refusal                ? ""
                              : r.refusal->kind.empty() ? r.refusal->message
                                                        : r.refusal->kind;
  return std::tuple(r.reason.cause, r.missing_prices, refusal);
}

}  // namespace

std::vector<PrunedGroup> pruned_groups(const PlanReport& report) {
  return grouped_by(report,
                    [&](const CandidateResult& r) { return reason_text(r, report.request); });
}

std::vector<PrunedGroup> pruned_kinds(const PlanReport& report) {
  return grouped_by(report, kind_of);
}

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

std::string served_range_text(const PlanReport& r) {
  if (!r.plan.model_rps) return {};
  const Interval whole = whole_interval(sustained_rps(r.plan, *r.best()),
                                        sampled_rps(r.plan, *r.best()), r.plan.model_rps);
  const std::string range =
      std::isfinite(whole.high)
          ? fmt::format("{} to {} req/s", three_digits(whole.low), three_digits(whole.high))
          : fmt::format("{} req/s or more", three_digits(whole.low));
  const auto& asked = r.request.rate_rps;
  if (!asked || whole.low >= *asked) return range;
  return range +
         fmt::format(", less than {} where steps are as long as they may be", three_digits(*asked));
}

std::string trust_text(const PlanReport& r) {
  const auto& error = r.plan.model_error;
  if (!error) return {};
  const std::string text =
      fmt::format("model: steps +-{} ({}); rates of candidates to 2 %, each test 95 % sure",
                  percent(std::expm1(error->step)), name_of(error->regime)) +
      (r.best()->at_good ? "; the best " + seeds_text(r.request.slos, *r.best()->at_good) : "");
  const std::string range = served_range_text(r);
  return range.empty() ? text : text + "; with the model's error the best serves " + range;
}

std::string untested_text(const PlanReport& report, const CandidateResult& r) {
  if (!r.bound || !r.at_good) return {};
  return report.request.rate_rps ? "fewer replicas not tested" : "higher rates not tested";
}

std::string why_not_text(const PlanReport& report, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (&r == report.best()) return "the pick";
  const auto index = static_cast<std::size_t>(&r - report.plan.candidates.data());
  std::string text = reason_text(r, report.request);
  if (text.empty()) text = name_of(r.fate);
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
