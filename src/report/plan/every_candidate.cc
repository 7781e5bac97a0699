#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/form/data_table.h"
#include "report/plan/figures.h"
#include "report/plan/page.h"

namespace plimsoll {
namespace {

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
  const auto id = static_cast<std::int64_t>(r.reason.figures[0]);
  const CandidateResult& better = report.plan.candidates[static_cast<std::size_t>(id - 1)];
  return fmt::format("{} ({})", why,
                     &better == report.best() ? "the pick" : describe_gpus(better.candidate));
}

std::string number_or_nothing(std::int64_t value) { return value > 0 ? std::to_string(value) : ""; }

}  // namespace

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
    table.add({describe_gpu_types(c), describe_layout(c), instances, c.batching_rule,
               number_or_nothing(c.max_num_seqs), number_or_nothing(c.max_num_batched_tokens),
               c.router, figures.rate, figures.usd, figures.rate_per_usd,
               std::string(outcome_of(report, r)), reason_with_name(report, r)});
  }
  return table.markup();
}

}  // namespace plimsoll
