// What a plan comes to: the pick, whether it holds the rate if the model is wrong, what to do.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "planner/headroom.h"
#include "planner/plan_figures.h"
#include "report/answer/levers.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

std::string limits_of(const PlanRequest& request) {
  return join(mapped(request.slos, [](const Slo& slo) { return title_of(slo); }), ", ");
}

std::string at_limits(const PlanRequest& request) {
  return request.slos.empty() ? "with a stable queue" : "at " + limits_of(request);
}

std::string load_of(const PlanRequest& request) {
  return request.rate_rps ? plain(*request.rate_rps) + " req/s" : "the highest rate";
}

// The rate that has to be held, which with slow steps may be missed; 0: none.
double least_rate(const PlanRequest& request) {
  return request.rate_rps ? *request.rate_rps : request.least_rps();
}

double lowest_served(const PlanReport& r, const CandidateResult& best) {
  return served_rps(r.plan, best).low;
}

std::vector<Because<Doubt>> doubts_of(const PlanReport& r, const CandidateResult& best) {
  std::vector<Because<Doubt>> doubts;
  if (r.plan.interrupted) doubts.emplace_back(Doubt::interrupted);
  if (best.model_error) doubt_speed(*best.model_error, &doubts);
  if (best.at_good) doubt_haste(r.traffic, *best.at_good, &doubts);
  if (best.at_good) doubt_peak(best.at_good->summary.cluster, &doubts);
  const double low = lowest_served(r, best);
  if (low < least_rate(r.request)) doubts.emplace_back(Doubt::slow_steps, low);
  if (!r.request.rate_rps) return doubts;
  if (leaves_idle(r, best)) doubts.emplace_back(Doubt::idle_instances);
  const auto& spare = r.plan.headroom;
  if (!spare || (spare->good_rps <= *r.request.rate_rps && std::isinf(spare->bad_rps))) {
    doubts.emplace_back(Doubt::headroom_unknown);
  } else if (spare->good_rps <= *r.request.rate_rps) {
    doubts.emplace_back(Doubt::no_headroom, headroom_below(*r.request.rate_rps, spare->bad_rps));
  }
  return doubts;
}

// "up to 25.0 req/s"
std::string most_served(const PlanReport& r, const CandidateResult& best) {
  const bool at_end = is_at_range_end(r.request, best);
  const char* how = at_end ? "" : std::isinf(best.bad_rps) ? "at least " : "up to ";
  return fmt::format("{}{} req/s{}", how, three_digits(best.good_rps),
                     at_end ? ", the highest rate tested," : "");
}

// "4 x H100 (3 + 1 spare) do not hold 60 req/s: 3 do, but with the spare one ..."
std::string why_spare_fails(const PlanReport& r, const CandidateResult& best, const Decision& d) {
  const LoadProbe* failing = load_too_much(r.request, r.plan, best);
  return fmt::format(
      "{}{} do not hold {}, which {} without the spare {}{}",
      deployment_text(r.request, best.candidate), for_price(best), d.question,
      best.candidate.replicas == 1 ? "1 holds" : grouped(best.candidate.replicas) + " hold",
      best.candidate.spare == 1 ? "one" : "ones",
      failing == nullptr ? "" : ": " + reason_text(*failing, r.request.slos));
}

// "1 x H100 for $3.20/h holds 10 req/s", "2 x H100 serve up to 25.0 req/s".
std::string answer_of(const PlanReport& r, const CandidateResult& best, const Decision& d) {
  const double promised = promised_rps(r, best);
  const std::string verb = std::string(r.request.rate_rps ? "hold" : "serve") +
                           (best.candidate.total_gpus() == 1 ? "s" : "");
  const std::string who =
      deployment_text(r.request, best.candidate) + for_price(best) + " " + d.likely(verb) + " ";
  if (r.request.rate_rps) return who + d.question;
  const std::string most =
      promised < best.good_rps ? three_digits(promised) + " req/s" : most_served(r, best);
  return who + most + " " + at_limits(r.request);
}

// What would cost less if a test had decided it: one replica fewer.
std::string open_text(const PlanReport& r, const CandidateResult& best) {
  const LoadProbe* open = open_below(r.request, r.plan, best);
  if (open == nullptr) return {};
  return fmt::format("whether {} {} enough is too close to call ({})",
                     counted(open->instances, "instance"), open->instances == 1 ? "is" : "are",
                     reason_text(*open, r.request.slos));
}

// " within the budget" of money, or what else is limited.
std::string within_text(const PlanRequest& request, const std::vector<BudgetLimit>& budget) {
  if (budget.empty()) return {};
  if (request.max_usd_per_hour) return " within the budget";
  return " within " + join(mapped(budget, &BudgetLimit::words), " and ");
}

Decision without_best(const PlanReport& r, Decision d) {
  const bool is_open = r.plan.interrupted || std::ranges::count(r.plan.candidates, Fate::unclear,
                                                                &CandidateResult::fate) > 0;
  if (r.plan.interrupted) d.doubts.emplace_back(Doubt::interrupted);
  if (has_no_prices(r.plan)) {
    d.settle(Answer::unclear);
    d.answer = "no candidate is priced: " + unpriced_text(r.request, r.plan);
    return d;
  }
  d.settle(is_open ? Answer::unclear : Answer::fails);
  std::string load;
  if (r.request.rate_rps) load = " at " + load_of(r.request);
  const std::string limits = r.request.slos.empty() ? "its queue stable" : limits_of(r.request);
  const std::vector<BudgetLimit> budget = budget_limits(r.request, Candidate{}, 0);
  d.answer = fmt::format("no candidate {} {}{}{}", is_open ? "could be shown to keep" : "keeps",
                         limits, load, within_text(r.request, budget));
  if (const LoadProbe* refused = refused_everywhere(r.plan))
    d.answer += ": " + reason_text(*refused, r.request.slos);
  if (const auto& beyond = r.plan.beyond_limits) {
    const std::string cost = beyond->price ? " (" + hourly_dollars(beyond->usd_per_hour) + ")" : "";
    d.action = fmt::format(
        "Raise {} to allow {}{}, which {}{}{}",
        exceeded_limits(left_for(r), beyond->candidate, beyond->usd_per_hour, &BudgetLimit::key),
        deployment_text(r.request, beyond->candidate), cost,
        is_guess(*beyond) ? "may hold this load, though its speed is a guess" : "holds this load",
        r.others ? " beside the other models" : "",
        r.request.space.gpus.size() == 1 ? ", or try other --gpu-types" : "");
  } else if (!budget.empty() && !r.plan.searched_beyond && !is_open &&
             counts_of(r.request, r.plan).feasible == 0) {
    d.action = "Plan without " + join(mapped(budget, &BudgetLimit::key), " and ") +
               " to see what does: its size kept it from being tested";
  }
  return d;
}

}  // namespace

double promised_rps(const PlanReport& r, const CandidateResult& result) {
  if (&result != r.best() || r.request.rate_rps || !r.plan.model_rps) return result.good_rps;
  const double low = lowest_served(r, result);
  const bool promises_low = 0 < low && low < result.good_rps && doubts_of(r, result).empty();
  return promises_low ? low : result.good_rps;
}

// A router that costs nothing comes before more instances.
void try_router_first(const PlanReport& r, const CandidateResult& best, Decision* d) {
  const LoadProbe* failing = load_too_much(r.request, r.plan, best);
  const bool was_free = !r.request.space.routers.empty();  // others were tried
  if (failing == nullptr || was_free || r.plan.interrupted) return;
  const std::string router = router_to_try(failing->summary);
  if (router.empty()) return;
  if (!d->action.empty()) {
    d->action += ", or first " + router;
  } else if (!r.request.rate_rps) {
    d->action = capitalised(router);
  }
}

Decision decision_of(const PlanReport& r) {
  Decision d;
  d.question = load_of(r.request) + " " + at_limits(r.request);
  const CandidateResult* best = r.best();
  if (best == nullptr) return without_best(r, std::move(d));
  d.doubts = doubts_of(r, *best);
  d.confidence = r.plan.model_rps ? kIntervalLevel : kTestLevel;
  // A level that changes has no interval.
  if (best->at_good && best->at_good->state.verdict == SteadyVerdict::transient)
    d.confidence.reset();
  if (fails_with_spare(r.request, r.plan, *best)) {
    d.settle(Answer::fails);
    d.answer = why_spare_fails(r, *best, d);
    d.doubts.clear();
    d.action = action_of(r, *best, 0);
    return d;
  }
  d.settle(Answer::holds);
  d.answer = answer_of(r, *best, d);
  if (best->at_good) d.answer += unserved_text(unserved_share(*best->at_good));
  std::vector<std::string> beside;
  const double promised = promised_rps(r, *best);
  const bool promises_low = promised < best->good_rps;
  if (promises_low) beside.push_back(as_simulated(most_served(r, *best)));
  if (std::string text = open_text(r, *best); !text.empty()) beside.push_back(std::move(text));
  if (!r.request.rate_rps && best->usd_per_hour > 0) {
    beside.push_back(
        fmt::format("that is {} req/s per $/h", three_digits(promised / best->usd_per_hour)));
  }
  for (const DivisionKind division : {DivisionKind::split, DivisionKind::mix}) {
    if (std::string text = turning_text(r, division); !text.empty())
      beside.push_back(std::move(text));
  }
  d.contrast = join(beside, "; ");
  if (const auto& spare = r.plan.headroom) {
    d.headroom = headroom_of(*r.request.rate_rps, spare->good_rps);
    const double low = lowest_served(r, *best);
    if (r.plan.model_rps && low >= *r.request.rate_rps && low < spare->good_rps)
      d.sure_headroom = headroom_of(*r.request.rate_rps, low);
    const std::int64_t spares = best->candidate.spare;
    if (spares > 0) {
      d.headroom_with =
          spares == 1 ? " with the spare one" : fmt::format(" with the {} spare ones", spares);
    }
  }
  if (!promises_low || r.traffic.hidden_peak(*best->at_good) > 1)
    d.action = action_of(r, *best, lowest_served(r, *best));
  d.acts_first = r.plan.plain_with_reserve.has_value() && !d.action.empty();
  if (!d.acts_first) try_router_first(r, *best, &d);
  // The best of the table and of the files is not what is to be deployed.
  if (d.acts_first) d.answer = "without that reserve, " + d.answer;
  return d;
}

std::string plan_verdict(const PlanReport& r) { return decision_text(decision_of(r)) + "\n"; }

}  // namespace plimsoll
