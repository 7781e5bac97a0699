
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "planner/headroom.h"
#include "planner/plan_figures.h"
#include "report/answer/levers.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"

namespace plimsoll {
namespace {

constexpr std::string_view kRelaxFirst =
    "Relax the limits or measure the step times first: as many instances as were tested do not "
    "keep the limits if real steps are as slow as the model's error allows";

// What so many instances like the best are, and which limits they would exceed.
std::string more_of(const PlanReport& r, const CandidateResult& best, std::int64_t instances) {
  Candidate more = best.candidate;
  more.replicas = instances;
  more.spare = 0;
  const double usd = usd_of_more(best, instances);
  const std::string beyond = exceeded_limits(left_for(r), more, usd, &BudgetLimit::key);
  return deployment_text(r.request, more) + (beyond.empty() ? "" : ", beyond " + beyond + ",");
}

std::string for_price_of_more(const CandidateResult& c, std::int64_t instances) {
  return c.price ? " at " + hourly_dollars(usd_of_more(c, instances)) : "";
}

std::int64_t paid_replicas(const CandidateResult& c) {
  return c.candidate.replicas + c.candidate.spare;
}

std::string measure_first(const PlanReport& r) {
  const std::string measure(kMeasureFirst);
  const CandidateResult& best = *r.best();
  const std::int64_t slow = r.plan.best_with_slow_steps;
  if (slow > paid_replicas(best)) {
    return fmt::format("{}, or take {}{} {}", measure, more_of(r, best, slow),
                       for_price_of_more(best, slow), kErrorPurpose);
  }
  // Where slow steps need no more, the best is as good a buy as any whose speed is known.
  if (slow > 0 || !r.plan.cheapest_known) return measure;
  const CandidateResult& known = r.plan.candidates[*r.plan.cheapest_known];
  const std::int64_t needed = r.plan.known_with_slow_steps;
  if (needed == 0)
    return measure + ", or take " + deployment_text(r.request, known.candidate) + for_price(known) +
           ", the best of known speed";
  return measure + ", or take " + more_of(r, known, needed) + for_price_of_more(known, needed) +
         ", whose speed is known" +
         (known.model_error ? " to within " + percent(known.model_error->step) : "") +
         ", with room for the model's error";
}

// What holds the target rate at the slow end of its own error, for less than the best does with as
// many more as that takes; null: the best itself, or nobody knows.
const CandidateResult* surer_than(const PlanReport& r) {
  const bool is_sized = r.plan.cheapest_known && r.plan.known_with_slow_steps > 0;
  return is_sized && !r.plan.is_guess() ? &r.plan.candidates[*r.plan.cheapest_known] : nullptr;
}

// Two actions; of one of several models they are clauses of a list.
std::string both(const PlanReport& r, const std::string& first, std::string then) {
  if (!r.others || then.empty()) return join_sentences(first, then);
  then.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(then.front())));
  return first + ", then " + then;
}

// What is neither a split nor a mix, or keeps the weights that are stored, is the better buy with
// the reserve, of which the best would need `instances`; 0: no number tested is enough.
std::string plain_instead(const PlanReport& r, const CandidateResult& best, bool is_for_headroom,
                          std::int64_t instances) {
  const SizedCandidate& sized = *r.plan.plain_with_reserve;
  const CandidateResult& plain = r.plan.candidates[sized.index];
  const Candidate& pick = best.candidate;
  const std::string kind = pick.splits()  ? "split"
                           : pick.mixes() ? "mix"
                                          : pick.quantization + " one";
  const std::string otherwise =
      instances == 0 ? fmt::format("no {} tested is enough", kind)
                     : fmt::format("the {} would take {}{}", kind, more_of(r, best, instances),
                                   for_price_of_more(best, instances));
  return fmt::format("Deploy {}{} {}: {}", more_of(r, plain, sized.replicas),
                     for_price_of_more(plain, sized.replicas),
                     is_for_headroom ? headroom_purpose(kUsualHeadroom) : kErrorPurpose, otherwise);
}

}  // namespace

PlanRequest left_for(const PlanReport& r) {
  PlanRequest left = r.request;
  if (!r.others) return left;
  if (const auto& gpus = r.others->gpus)
    left.max_gpus = std::min(*gpus, left.max_gpus.value_or(*gpus));
  if (const auto& usd = r.others->usd_per_hour)
    left.max_usd_per_hour = std::min(*usd, left.max_usd_per_hour.value_or(*usd));
  return left;
}

std::string budget_words(const PlanReport& r) {
  return join(mapped(budget_limits(left_for(r), Candidate{}, 0), &BudgetLimit::words), " and ");
}

std::string surer_text(const PlanReport& r, const CandidateResult& surer) {
  const std::int64_t needed = r.plan.known_with_slow_steps;
  return more_of(r, surer, needed) + for_price_of_more(surer, needed);
}

std::string for_price(const CandidateResult& c) {
  return c.price ? " for " + hourly_dollars(c.usd_per_hour) : "";
}

bool leaves_idle(const PlanReport& r, const CandidateResult& best) {
  const auto& headroom = r.plan.headroom;
  return leaves_idle(load_too_much(r.request, r.plan, best)) ||
         (headroom && headroom->with_more && headroom->with_more->answer != Answer::holds &&
          leaves_idle(&*headroom->with_more));
}

std::string action_of(const PlanReport& r, const CandidateResult& best, double slow_rps) {
  if (r.plan.interrupted) return "Run the plan to its end before you decide";
  const double peak = best.at_good ? r.traffic.hidden_peak(*best.at_good) : 1;
  if (!r.request.rate_rps) {
    if (r.plan.is_guess()) return measure_first(r);
    return r.plan.model_rps && slow_rps > 0 ? action_below(slow_rps, peak) : "";
  }
  const std::int64_t paid = paid_replicas(best);
  const double asked = *r.request.rate_rps;
  const double shown = r.plan.headroom ? headroom_of(asked, r.plan.headroom->good_rps) : 0;
  const std::int64_t slow = r.plan.best_with_slow_steps;
  const std::int64_t with_headroom =
      instances_with_headroom(paid, shown, peak * (1 + kUsualHeadroom) - 1, best.beside_replicas);
  const auto more = [&](std::int64_t n) { return more_of(r, best, n); };
  if (r.plan.is_guess()) {
    const bool names_deployment = slow > paid || (slow == 0 && r.plan.cheapest_known);
    return both(r, measure_first(r),
                names_deployment
                    ? ""
                    : action_for({paid, with_headroom, kUsualHeadroom, peak > 1, 0}, more));
  }
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
  const CandidateResult* surer = surer_than(r);
  if (surer != nullptr && (slow == 0 || slow > with_headroom)) {
    const std::string otherwise =
        slow == 0 ? ""
                  : fmt::format(": the pick would take {}{}", more_of(r, best, slow),
                                for_price_of_more(best, slow));
    return fmt::format("Deploy {} {}{}", surer_text(r, *surer), kErrorPurpose, otherwise);
  }
  // Instances for headroom do not help where steps that are a little slower miss the limits.
  const bool is_tight = r.plan.model_rps && slow_rps <= 0 && slow == 0;
  const std::string first(is_tight ? kRelaxFirst : "");
  const std::string action =
      action_for({paid, with_headroom, kUsualHeadroom, peak > 1, slow}, more);
  if (action.empty()) return first;
  // Spare replicas are priced and written to files like the others.
  // With several models that flag would be about all of them.
  const std::string spare =
      r.others ? ""
               : fmt::format(" (--spare-instances {} plans for it)",
                             r.request.spare + std::max(with_headroom, slow) - paid);
  const std::string deploy = fmt::format(
      "{}{}{}", action, spare,
      surer == nullptr ? "" : fmt::format(", or {} {}", surer_text(r, *surer), kErrorPurpose));
  return first.empty() ? deploy : both(r, first, deploy);
}

}  // namespace plimsoll
