// The texts that all reports of a plan share: why candidates were ruled out, how to run one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "planner/plan.h"
#include "planner/plan_figures.h"
#include "report/plan/plan.h"

namespace plimsoll {

struct PlanReport;

/// Candidates that arithmetic ruled out for the same reason; the most frequent reasons come first.
struct PrunedGroup {
  std::string reason;
  std::vector<std::int64_t> ids;
};
std::vector<PrunedGroup> pruned_groups(const PlanReport& report);
/// The same, but for reasons that differ in their figures: budgets, counts, names of GPUs. The
/// reason of a group is that of its first candidate.
std::vector<PrunedGroup> pruned_kinds(const PlanReport& report);

/// "L4 TP1: needs 7 replicas at least and takes 7 GPUs, more than 4"
std::string first_of(const Plan& plan, const PrunedGroup& group);

/// A limit of the request on GPUs or money, beside a fleet.
struct BudgetLimit {
  std::string key;    ///< "--max-gpus"
  std::string words;  ///< "the limit of 4 GPUs"
  bool is_exceeded = false;
};
/// All that the request has.
std::vector<BudgetLimit> budget_limits(const PlanRequest& request, const Candidate& fleet,
                                       double usd_per_hour);
/// The limits that the fleet exceeds, joined: "--max-gpus and available_gpus".
std::string exceeded_limits(const PlanRequest& request, const Candidate& fleet, double usd_per_hour,
                            std::string BudgetLimit::*text);

/// Of a candidate, or of a list of the space; the usual one where it is empty.
std::string shown_router(const std::string& router);

/// " with batching rule sarathi, --max-num-batched-tokens 512": what was chosen beside the layout
/// and is not what engines do by themselves; empty: nothing.
std::string settings_text(const PlanRequest& request, const Candidate& candidate);

/// describe_gpus() with these settings: what is to be deployed.
std::string deployment_text(const PlanRequest& request, const Candidate& candidate);

/// `plimsoll run` of that deployment at the rate that was shown to hold.
std::string run_command(const CandidateResult& result);

// How sure a plan is of what it says.

/// The rates that the best serves, given the errors of tests and of the step-time model: "20.9
/// to 25.8 req/s"; empty where nobody asked.
std::string served_range_text(const PlanReport& report);

/// Errors of steps, rates and tests in a line; empty for a model whose error is not known.
std::string trust_text(const PlanReport& report);

// The texts about the deployments that stand beside the pick of a plan.

/// Why it is not the pick, or that it is; of a bound, that it was not tested.
std::string why_not_text(const PlanReport& report, const Alternative& alternative);

/// Figures of a deployment that was not tested to its end are bounds.
enum class Bound : std::int8_t { none, at_most, at_least };
/// The mark before such a figure: "<= ", ">= " or nothing.
std::string_view mark_of(Bound bound);

struct FigureBounds {
  Bound usd = Bound::none;
  Bound rate = Bound::none;

  /// Whether its cost for what it serves is at most what the figures say.
  bool cost_is_at_most() const { return usd == Bound::at_most || rate == Bound::at_least; }
};
FigureBounds bounds_of(const PlanRequest& request, const Alternative& alternative);
/// why_not_text() says what it costs more.
bool says_cost(const PlanReport& report, const Alternative& alternative);
/// "at least 12.0 % more an hour", or "per request" where no rate was asked for; empty: not more,
/// or no price.
std::string extra_cost_text(const PlanReport& report, const Alternative& alternative,
                            const CandidateResult& better);
/// Why a candidate is not the pick, with what it costs more where it holds.
std::string fate_text(const PlanReport& report, const CandidateResult& result);

/// How full the pools of a split are at its rate, and a ratio that was not asked about with which
/// fewer instances would do by load alone; empty: it is no split.
std::string pools_text(const PlanReport& report, const CandidateResult& best);

/// Whether to split prefill from decode, or to mix two GPU types, and by how much, with where that
/// answer is another one: "...; that answer turns between 1,680 and 2,000 prompt tokens"; empty:
/// that was no question.
std::string turning_text(const PlanReport& report, DivisionKind division);
/// The answers for all loads that were looked at.
std::vector<std::string> turning_lines(const PlanReport& report);
/// The same of either with its figures; null where no candidate keeps the limits.
Json division_json(const PlanReport& report);
Json mix_json(const PlanReport& report);

/// Says that fewer replicas, or a higher rate, were left untested. Empty: none were.
std::string untested_text(const PlanReport& report, const CandidateResult& result);

// The advice that would help, chosen by what was found, and what the figures of a plan say by rules
// of thumb. For every report of a plan.

/// Sentences, the most direct remedy first. If no candidate keeps the limits: which limit keeps
/// them out, and how near the nearest came. Else: what would cost less or serve more.
std::vector<std::string> plan_advice(const PlanReport& report);

/// The advice where no candidate keeps all limits: a sentence for each thing that rules candidates
/// out, prices first, then what no number of instances mends, limits, rates, budgets, memory,
/// layouts.
std::vector<std::string> refusal_advice(const PlanReport& report);
/// The candidates that came closest, each by why it failed.
std::string closest_failures(const PlanReport& report);

/// req/s per $/h, MFU and memory of the best, each beside the usual range; empty if there is none.
std::vector<std::string> plan_readings(const PlanReport& report);

// The costs of a plan and their reasons, as sentences for the terminal and the page.

/// Dollars per hour, for requests and tokens, and energy; with the price if there is but one.
std::string cost_text(const PlanReport& report, const CandidateResult& best);
/// How the replicas are bought, and what of it is idle; empty where one price says it all.
std::string bought_text(const CandidateResult& best);
/// The spare instances beyond the load, and why; empty: nothing.
std::string spare_text(const PlanRequest& request, const CandidateResult& best);
/// The GPUs that are left out for want of a price, each with the kind that is missing; empty: none.
std::string unpriced_text(const PlanRequest& request, const Plan& plan);
/// How to give the prices that are missing; empty: none are.
std::vector<std::string> price_advice(const PlanRequest& request, const Plan& plan);
/// The same traffic at an API; empty if no price of one was given.
std::string api_text(const PlanReport& report, const CandidateResult& best);

// The candidates of a plan as JSON: the best in full, others as a row, or as a point of the
// frontier.

Json plan_best_json(const PlanReport& report, const CandidateResult& result);
Json plan_candidate_json(const PlanReport& report, const CandidateResult& result);
Json plan_point_json(const PlanRequest& request, const CandidateResult& result);

// What to do after a plan: what has room for the model's error and for headroom, or what to measure
// first.

/// The request with what other models leave of the limits that they share.
PlanRequest left_for(const PlanReport& r);

/// "the budget of $5.00/h and the limit of 8 GPUs": those that were given.
std::string budget_words(const PlanReport& r);

/// "4 x H100 (4 instances x TP1) at $12.80/h": the one of known speed, with as many instances as
/// hold the rate at the slow end of its error.
std::string surer_text(const PlanReport& r, const CandidateResult& surer);

/// " for $3.20/h"; empty without a price.
std::string for_price(const CandidateResult& c);

/// With a little more load than is held, or with more instances.
bool leaves_idle(const PlanReport& r, const CandidateResult& best);

/// A clause without a full stop; empty: there is nothing to do. Of a range of rates, with steps as
/// slow as may be, `slow_rps` are served.
std::string action_of(const PlanReport& r, const CandidateResult& best, double slow_rps);

}  // namespace plimsoll
