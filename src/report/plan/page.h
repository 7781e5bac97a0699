// The sections under the verdict on the page of a plan, top to bottom like a memo: the pick,
// evidence, why the others lost, what would help, what it rests on. The page of several models
// (report/plan/fleet.cc) has one such part for each.
#pragma once

#include <string>

#include "planner/plan_figures.h"
#include "report/form/text_report.h"
#include "report/plan/plan.h"

namespace plimsoll {

struct PlanPart {
  int level = 2;       ///< of its headings
  std::string prefix;  ///< of the ids of its figures: of a model
};

/// Adds what the pick costs, how it is bought, and the same traffic at an API: for text and
/// page.
void add_costs(const PlanReport& report, const CandidateResult& best, TextReport* out);
/// Adds what was searched and ruled out, and how far to trust it.
void add_grounds(const PlanReport& report, TextReport* out);

/// Markup.
std::string plan_part(const PlanReport& report, const PlanPart& part);

/// The rate and the cost of one, as figures and as texts; of a bound "<= 15.3". Empty texts: not
/// known.
struct AlternativeFigures {
  double rate_rps = 0;
  double usd_per_hour = 0;
  std::string rate = {};
  std::string usd = {};
  std::string rate_per_usd = {};
};
AlternativeFigures figures_of(const PlanReport& report, const Alternative& alternative);

/// Every candidate that was considered, to filter and sort.
std::string every_candidate(const PlanReport& report);

// The charts that carry a plan's decision, as figures of its page.

/// The chart of what each candidate costs and serves: the frontier drawn, the best marked. With a
/// target rate, which all of them serve: cost against the latency of the first limit. Empty if
/// nothing is feasible.
std::string frontier_figure(const PlanReport& report);

}  // namespace plimsoll
