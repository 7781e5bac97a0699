// What a plan comes to: the pick, whether it holds the rate if the model is wrong, what to do.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "planner/answer_error.h"
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

std::string for_price(const CandidateResult& c) {
  return c.price ? " for " + hourly_dollars(c.usd_per_hour) : "";
}

// The rate that has to be held, which with slow steps may be missed; 0: none.
double least_rate(const PlanRequest& request) {
  return request.rate_rps ? *request.rate_rps : std::max(request.min_rps, request.lowest_rps);
}

double lowest_served(const PlanReport& r, const CandidateResult& best) {
  return whole_interval(sustained_rps(r.plan, best), sampled_rps(r.plan, best), r.plan.model_rps)
      .low;
}

// With a little more load than is held, or with more instances.
bool leaves_idle(const PlanReport& r, const CandidateResult& best) {
  const auto& headroom = r.plan.headroom;
  return leaves_idle(load_too_much(r.request, r.plan, best)) ||
         (headroom && headroom->with_more && headroom->with_more->answer != Answer::holds &&
          leaves_idle(&*headroom->with_more));
}

// With its spare replicas it fails at the rate that it holds without.
bool fails_with_spare(const PlanReport& r, const CandidateResult& best) {
  return best.candidate.spare > 0 && r.plan.headroom && r.plan.headroom->good_rps <= 0 &&
         r.plan.headroom->bad_rps <= *r.request.rate_rps;
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
    doubts.emplace_back(Doubt::no_headroom, spare->bad_rps / *r.request.rate_rps - 1);
  }
  return doubts;
}

// With so many replicas, each at the price of those of the best.
double usd_of_more(const CandidateResult& best, std::int64_t instances) {
  const auto paid = static_cast<double>(best.candidate.replicas + best.candidate.spare);
  double usd_of_own = best.usd_per_hour;
  if (best.candidate.mixes() && !best.bill.lines.empty()) {
    usd_of_own = 0;
    for (const BillLine& line : best.bill.lines) {
      if (line.price.gpu == best.bill.lines.front().price.gpu) usd_of_own += line.usd_per_hour();
    }
  }
  return best.usd_per_hour + usd_of_own * (static_cast<double>(instances) - paid) / paid;
}

// What so many instances like the best are, and which limits they would exceed.
std::string more_of(const PlanReport& r, const CandidateResult& best, std::int64_t instances) {
  Candidate more = best.candidate;
  more.replicas = instances;
  more.spare = 0;
  const double usd = usd_of_more(best, instances);
  const std::string beyond = exceeded_limits(r.request, more, usd, &BudgetLimit::key);
  return describe_gpus(more) + settings_text(r.request, more) +
         (beyond.empty() ? "" : ", beyond " + beyond + ",");
}

std::string for_price_of_more(const CandidateResult& c, std::int64_t instances) {
  return c.price ? " at " + hourly_dollars(usd_of_more(c, instances)) : "";
}

std::string measure_first(const PlanReport& r) {
  const std::string measure(kMeasureFirst);
  if (!r.plan.cheapest_known) return measure;
  const CandidateResult& known = r.plan.candidates[*r.plan.cheapest_known];
  const std::int64_t needed = r.plan.known_with_slow_steps;
  if (needed == 0)
    return measure + ", or take " + describe_gpus(known.candidate) + for_price(known) +
           ", the best of known speed";
  return measure + ", or take " + more_of(r, known, needed) + for_price_of_more(known, needed) +
         ", whose speed is known, with room for the model's error";
}

// What is neither a split nor a mix costs less with the reserve, of which the best would need
// `instances`; 0: no number tested is enough.
std::string plain_instead(const PlanReport& r, const CandidateResult& best, bool is_for_headroom,
                          std::int64_t instances) {
  const SizedCandidate& sized = *r.plan.plain_with_reserve;
  const CandidateResult& plain = r.plan.candidates[sized.index];
  const char* kind = best.candidate.splits() ? "split" : "mix";
  const std::string otherwise =
      instances == 0 ? fmt::format("no {} tested does", kind)
                     : fmt::format("the {} would take {}{}", kind, more_of(r, best, instances),
                                   for_price_of_more(best, instances));
  return fmt::format("Deploy {}{} {}: {}", more_of(r, plain, sized.replicas),
                     for_price_of_more(plain, sized.replicas),
                     is_for_headroom ? headroom_purpose(kUsualHeadroom) : kErrorPurpose, otherwise);
}

// Of a range of rates, with steps as slow as may be, `slow_rps` are served.
std::string action_of(const PlanReport& r, const CandidateResult& best, double slow_rps) {
  if (r.plan.interrupted) return "Run the plan to its end before you decide";
  if (r.plan.is_guess()) return measure_first(r);
  const double peak = best.at_good ? r.traffic.hidden_peak(*best.at_good) : 1;
  if (!r.request.rate_rps)
    return r.plan.model_rps && slow_rps > 0 ? action_below(slow_rps, peak) : "";
  const std::int64_t paid = best.candidate.replicas + best.candidate.spare;
  const double asked = *r.request.rate_rps;
  const double shown = r.plan.headroom ? headroom_of(asked, r.plan.headroom->good_rps) : 0;
  const std::int64_t slow = r.plan.best_with_slow_steps;
  const std::int64_t with_headroom =
      instances_with_headroom(paid, shown, peak * (1 + kUsualHeadroom) - 1, best.beside_replicas);
  if (r.plan.plain_with_reserve) {
    const bool is_sized = slow > 0 || slow_rps >= asked;
    return plain_instead(r, best, is_sized && with_headroom >= slow,
                         is_sized ? std::max(slow, with_headroom) : 0);
  }
  const LoadProbe* failing = load_too_much(r.request, r.plan, best);
  if (leaves_idle(r, best)) return std::string(kSpread);
  if (shown < kUsualHeadroom) {
    const std::string in = let_more_in(failing, asked * (1 + kUsualHeadroom));
    if (!in.empty()) return in;
  }
  // Instances for headroom are no help where steps that are a little slower miss the limits.
  if (r.plan.model_rps && slow_rps <= 0 && slow == 0)
    return "Relax the limits or measure the step times first: as many instances as were tested do "
           "not keep them at the slow end of the model's error";
  const std::string action = action_for({paid, with_headroom, kUsualHeadroom, peak > 1, slow},
                                        [&](std::int64_t n) { return more_of(r, best, n); });
  if (action.empty()) return action;
  // Spare replicas are priced and written to files like the others.
  return fmt::format("{} (--spare-instances {} puts that into the plan)", action,
                     r.request.spare + std::max(with_headroom, slow) - paid);
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
      "{}{}{} do not hold {}, which {} without the spare {}{}", describe_gpus(best.candidate),
      settings_text(r.request, best.candidate), for_price(best), d.question,
      best.candidate.replicas == 1 ? "1 holds" : grouped(best.candidate.replicas) + " hold",
      best.candidate.spare == 1 ? "one" : "ones",
      failing == nullptr ? "" : ": " + reason_text(*failing, r.request.slos));
}

// A yes to a range of rates is a promise of what is served even if steps are slow.
bool promises_low(const PlanReport& r, const CandidateResult& best, const Decision& d) {
  const double low = lowest_served(r, best);
  return !r.request.rate_rps && r.plan.model_rps && d.verdict == DecisionVerdict::yes && 0 < low &&
         low < best.good_rps;
}

double promised_rps(const PlanReport& r, const CandidateResult& best, const Decision& d) {
  return promises_low(r, best, d) ? lowest_served(r, best) : best.good_rps;
}

// "1 x H100 for $3.20/h holds 10 req/s", "2 x H100 serve up to 25.0 req/s".
std::string answer_of(const PlanReport& r, const CandidateResult& best, const Decision& d) {
  const std::string verb = std::string(r.request.rate_rps ? "hold" : "serve") +
                           (best.candidate.total_gpus() == 1 ? "s" : "");
  const std::string who = describe_gpus(best.candidate) + settings_text(r.request, best.candidate) +
                          for_price(best) + " " + d.likely(verb) + " ";
  if (r.request.rate_rps) return who + d.question;
  const std::string most = promises_low(r, best, d)
                               ? three_digits(lowest_served(r, best)) + " req/s"
                               : most_served(r, best);
  return who + most + " " + at_limits(r.request);
}

bool has_no_prices(const PlanReport& r) {
  return !unpriced_text(r.request, r.plan).empty() &&
         std::ranges::all_of(r.plan.candidates, [](const CandidateResult& c) {
           return !c.missing_prices.empty() || c.estimate.rate_rps <= 0;
         });
}

// What would cost less if a test had decided it: one replica fewer.
std::string open_text(const PlanReport& r, const CandidateResult& best) {
  const std::int64_t fewer = best.candidate.instances(best.candidate.replicas - 1);
  if (!r.request.rate_rps || best.candidate.replicas == 1) return {};
  const auto at = std::ranges::find_if(r.plan.best_probes, [&](const LoadProbe& p) {
    return p.instances == fewer && p.rate_rps == *r.request.rate_rps && p.answer == Answer::unclear;
  });
  if (at == r.plan.best_probes.end()) return {};
  return fmt::format("whether {} {} enough is too close to call ({})", counted(fewer, "instance"),
                     fewer == 1 ? "is" : "are", reason_text(*at, r.request.slos));
}

// A test of requests that no deployment serves, because of their length or because they are turned
// away; null where any candidate fails for another reason.
const LoadProbe* refused_everywhere(const Plan& plan) {
  const LoadProbe* refused = nullptr;
  for (const CandidateResult& c : plan.candidates) {
    if (!c.deciding) continue;
    if (!c.deciding->turns_lengths_away() && !c.deciding->is_turned_away) return nullptr;
    if (refused == nullptr) refused = &*c.deciding;
  }
  return refused;
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
  if (has_no_prices(r)) {
    d.settle(Answer::unclear);
    d.answer = "no candidate has a price: " + unpriced_text(r.request, r.plan);
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
        "Raise {} to allow {}{}, which {}",
        exceeded_limits(r.request, beyond->candidate, beyond->usd_per_hour, &BudgetLimit::key),
        describe_gpus(beyond->candidate), cost,
        is_guess(*beyond) ? "may: nobody measured its GPU" : "does");
  } else if (!budget.empty() && !r.plan.searched_beyond && !is_open &&
             counts_of(r.request, r.plan).feasible == 0) {
    d.action = "Plan without " + join(mapped(budget, &BudgetLimit::key), " and ") +
               " to see what does: its size kept it from being tested";
  }
  return d;
}

}  // namespace

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
  if (fails_with_spare(r, *best)) {
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
  if (promises_low(r, *best, d)) beside.push_back(as_simulated(most_served(r, *best)));
  if (std::string text = open_text(r, *best); !text.empty()) beside.push_back(std::move(text));
  if (!r.request.rate_rps && best->usd_per_hour > 0) {
    beside.push_back(fmt::format("that is {} req/s per $/h",
                                 three_digits(promised_rps(r, *best, d) / best->usd_per_hour)));
  }
  for (const DivisionKind division : {DivisionKind::split, DivisionKind::mix}) {
    if (std::string text = turning_text(r, division); !text.empty())
      beside.push_back(std::move(text));
  }
  d.contrast = join(beside, "; ");
  if (const auto& spare = r.plan.headroom) {
    d.headroom = headroom_of(*r.request.rate_rps, spare->good_rps);
    const std::int64_t spares = best->candidate.spare;
    if (spares > 0) {
      d.headroom_with =
          spares == 1 ? " with the spare one" : fmt::format(" with the {} spare ones", spares);
    }
  }
  if (!promises_low(r, *best, d) || r.traffic.hidden_peak(*best->at_good) > 1)
    d.action = action_of(r, *best, lowest_served(r, *best));
  d.acts_first = r.plan.plain_with_reserve.has_value() && !d.action.empty();
  return d;
}

std::string plan_verdict(const PlanReport& r) { return decision_text(decision_of(r)) + "\n"; }

}  // namespace plimsoll
