// The candidates that are not the pick of a plan, and why: those that stand beside it, with bounds
// and what they cost more, and those that arithmetic ruled out, in groups of the same reason.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/plan/figures.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

// Fewer instances, or a higher rate, were left.
bool is_tested_in_part(const CandidateResult& r) { return r.bound && r.at_good; }

// That of a candidate that is beaten.
const CandidateResult& better_than(const PlanReport& report, const CandidateResult& r) {
  const auto id = static_cast<std::size_t>(r.reason.figures[0]);
  return report.plan.candidates[id - 1];
}

bool is_on_frontier(const PlanReport& report, const CandidateResult& r) {
  const auto index = static_cast<std::size_t>(&r - report.plan.candidates.data());
  return std::ranges::count(report.plan.frontier, index) > 0;
}

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

std::string_view mark_of(Bound bound) {
  return bound == Bound::at_most ? "<= " : bound == Bound::at_least ? ">= " : "";
}

FigureBounds bounds_of(const PlanRequest& request, const Alternative& a) {
  const CandidateResult& r = *a.result;
  const auto if_so = [](bool is, Bound bound) { return is ? bound : Bound::none; };
  if (a.is_bound()) return {if_so(request.rate_rps.has_value(), Bound::at_least), Bound::at_most};
  const bool in_part = is_tested_in_part(r);
  const bool is_more = is_at_range_end(request, r);
  if (request.rate_rps) {
    return {if_so(in_part, Bound::at_most), if_so(is_more, Bound::at_least)};
  }
  return {Bound::none, if_so(is_more || in_part, Bound::at_least)};
}

std::string extra_cost_text(const PlanReport& report, const Alternative& a,
                            const CandidateResult& better) {
  const CandidateResult& r = *a.result;
  if (!r.price || !better.price) return {};
  const bool per_request = !report.request.rate_rps;
  const double own = per_request ? a.usd_per_hour() / a.rate_rps() : a.usd_per_hour();
  const double other = per_request ? better.usd_per_hour / better.good_rps : better.usd_per_hour;
  const double more = own / other - 1;
  if (!(more > 0) || !std::isfinite(more)) return {};
  const char* bound = a.is_bound()                                     ? "at least "
                      : bounds_of(report.request, a).cost_is_at_most() ? "at most "
                                                                       : "";
  return fmt::format("{}{} more {}", bound, percent(more), per_request ? "per request" : "an hour");
}

std::string fate_text(const PlanReport& report, const CandidateResult& r) {
  std::string text = reason_text(r, report.request);
  const Alternative a{&r};
  if (r.reason.cause == CandidateCause::costs_more &&
      bounds_of(report.request, a).cost_is_at_most()) {
    return text.insert(text.find(' ') + 1, "at most ");  // after the verb
  }
  if (r.reason.cause != CandidateCause::beaten || !r.at_good) return text;
  const CandidateResult& better = better_than(report, r);
  const std::string more = extra_cost_text(report, a, better);
  return more.empty() ? fmt::format("holds, and is not better than #{}", better.id)
                      : fmt::format("holds, but costs {} than #{}", more, better.id);
}

bool says_cost(const PlanReport& report, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (r.reason.cause == CandidateCause::costs_more) return true;
  return r.reason.cause == CandidateCause::beaten && r.at_good && !is_on_frontier(report, r) &&
         !extra_cost_text(report, a, better_than(report, r)).empty();
}

std::string untested_text(const PlanReport& report, const CandidateResult& r) {
  if (!is_tested_in_part(r)) return {};
  return report.request.rate_rps ? "fewer instances not tested" : "higher rates not tested";
}

std::string why_not_text(const PlanReport& report, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (&r == report.best()) return "the pick";
  std::string text = fate_text(report, r);
  if (text.empty()) text = name_of(r.fate);
  if (a.is_bound()) {
    text = "a bound, not tested: " + text;
  } else {
    if (is_on_frontier(report, r)) {
      const char* merit =
          report.request.rate_rps ? "nothing cheaper is as fast" : "nothing cheaper serves as much";
      text = r.reason.cause == CandidateCause::beaten ? merit : text + "; but " + merit;
    }
    if (const std::string left = untested_text(report, r); !left.empty()) text += "; " + left;
  }
  constexpr double kMost = 0.5;
  if (const double share = r.estimate.all_reduce_share; share > kMost)
    text += fmt::format("; exchanges between its GPUs take {} of a step", percent(share));
  const std::string what = extrapolation_of(report, r);
  return what.empty() ? text : text + "; extrapolated: " + what;
}

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
