// The candidates that are not the pick of a plan, and why: those that stand beside it, with bounds
// and what they cost more, those that arithmetic ruled out, in groups of the same reason, and
// all of them as a table of the page.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/form/page.h"
#include "report/plan/figures.h"
#include "report/plan/page.h"

namespace plimsoll {
namespace {

// Fewer instances, or a higher rate, were left.
bool is_tested_in_part(const CandidateResult& r) { return r.bound && r.at_good; }

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

std::string_view outcome_of(const PlanReport& report, const CandidateResult& r) {
  if (&r == report.best()) return "the pick";
  switch (r.fate) {
    case Fate::feasible:
      return "holds";
    case Fate::infeasible:
      return "fails";
    case Fate::unclear:
      return "too close to call";
    case Fate::dominated:
      return r.at_good ? "holds, but costs more" : "cannot win";
    case Fate::pruned:
      break;
  }
  return "ruled out";
}

// The number that a reason refers to stands in another row.
std::string reason_with_name(const PlanReport& report, const CandidateResult& r) {
  std::string why = fate_text(report, r);
  if (r.reason.cause != CandidateCause::beaten) return why;
  const CandidateResult& better = report.plan.better_than(r);
  return fmt::format("{} ({})", why,
                     &better == report.best() ? "the pick" : describe_gpus(better.candidate));
}

// "TP2, fp8 weights"
std::string layout_and_weights(const Candidate& c) {
  return describe_layout(c) + (c.quantizes() ? ", " + c.quantization + " weights" : "");
}

std::string number_or_nothing(std::int64_t value) { return value > 0 ? std::to_string(value) : ""; }

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
  const CandidateResult& better = report.plan.better_than(r);
  const std::string more = extra_cost_text(report, a, better);
  return more.empty() ? fmt::format("holds, and is not better than #{}", better.id)
                      : fmt::format("holds, but costs {} than #{}", more, better.id);
}

bool says_cost(const PlanReport& report, const Alternative& a) {
  const CandidateResult& r = *a.result;
  if (r.reason.cause == CandidateCause::costs_more) return true;
  return r.reason.cause == CandidateCause::beaten && r.at_good && !report.plan.is_on_frontier(r) &&
         !extra_cost_text(report, a, report.plan.better_than(r)).empty();
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
    if (report.plan.is_on_frontier(r)) {
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
  return fmt::format("{} {}: {}", first.gpu, layout_and_weights(first), group.reason);
}

AlternativeFigures figures_of(const PlanReport& report, const Alternative& a) {
  AlternativeFigures out;
  out.usd_per_hour = a.usd_per_hour();
  out.rate_rps = a.rate_rps();
  const FigureBounds bounds = bounds_of(report.request, a);
  const auto bounded = [](Bound bound, const std::string& figure) {
    return std::string(mark_of(bound)) + figure;
  };
  if (out.rate_rps > 0) out.rate = bounded(bounds.rate, three_digits(out.rate_rps));
  if (out.usd_per_hour > 0) out.usd = bounded(bounds.usd, fmt::format("{:.2f}", out.usd_per_hour));
  if (out.rate_rps > 0 && out.usd_per_hour > 0) {
    // At a cost that is a bound from above the ratio is one from below.
    const Bound of_cost = bounds.usd == Bound::at_most    ? Bound::at_least
                          : bounds.usd == Bound::at_least ? Bound::at_most
                                                          : Bound::none;
    out.rate_per_usd = bounded(bounds.rate == Bound::none ? of_cost : bounds.rate,
                               three_digits(out.rate_rps / out.usd_per_hour));
  }
  return out;
}

std::string every_candidate(const PlanReport& report) {
  DataTable table(
      "All that were considered, and what became of each",
      "This table needs a script; all_candidates and pruned_candidates of --json have the "
      "same.",
      {"GPU", "layout", "instances", "batching rule", "batch", "tokens a step", "routing", "req/s",
       "$/h", "req/s per $/h", "outcome", "why"});
  for (const CandidateResult& r : report.plan.candidates) {
    const Alternative a{&r};
    const AlternativeFigures figures = figures_of(report, a);
    const Candidate& c = a.candidate();
    std::string instances = number_or_nothing(c.replicas);
    if (c.mixes()) instances = fmt::format("{} + {}", c.replicas, c.beside);
    table.add({describe_gpu_types(c), layout_and_weights(c), instances, c.batching_rule,
               number_or_nothing(c.max_num_seqs), number_or_nothing(c.max_num_batched_tokens),
               c.router, figures.rate, figures.usd, figures.rate_per_usd,
               std::string(outcome_of(report, r)), reason_with_name(report, r)});
  }
  return table.markup();
}

}  // namespace plimsoll
