// What arithmetic ruled out, in groups of the same reason.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "report/answer/reasons.h"
#include "report/plan/figures.h"
#include "report/plan/plan.h"

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

}  // namespace plimsoll
