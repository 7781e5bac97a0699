// Prefill and decode apart or not: what a plan says of it.
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/plan_figures.h"
#include "planner/rate_search.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

bool pays_dollars(const PlanReport& r, const CandidateResult& c) {
  return r.request.objective != Objective::least_gpus && c.missing_prices.empty() && c.price;
}

// Of the other against the pick: "costs 33 % more", "costs as much".
std::string cost_against(const PlanReport& r, const CandidateResult& other, double share) {
  const bool by_latency = r.request.objective == Objective::lowest_latency;
  const bool by_request = !r.request.rate_rps && !by_latency;
  const std::string what = by_latency ? "is slower" : pays_dollars(r, other) ? "costs" : "takes";
  const std::string gpus = pays_dollars(r, other) || by_latency ? "" : " GPUs";
  const std::string of = by_request ? " per request" : "";
  const double tied = r.request.rate_rps && !by_latency ? 0 : kRatePrecision;
  if (share <= tied) {
    if (by_latency) return "is as fast";
    return fmt::format("{} as {}{}{}", what, gpus.empty() ? "much" : "many", gpus, of);
  }
  if (by_latency) return fmt::format("is {} slower", percent(share));
  return fmt::format("{} {} more{}{}", what, percent(share), gpus, of);
}

// "; TTFT p99 is 20.1 ms longer with the split [19.0, 21.2]"
std::string latency_text(const PlanReport& r) {
  const auto& difference = r.plan.split_difference_ms;
  if (!difference || !difference->interval) return {};
  const std::string figure = name_of(r.request.slos.front());
  if (!difference->is_real()) return fmt::format("; no difference in {} was shown", figure);
  const double sign = difference->mean < 0 ? -1 : 1;
  const double low = sign * difference->interval->low;
  const double high = sign * difference->interval->high;
  return fmt::format("; {} is {} ms {} with the split [{}, {}]", figure,
                     three_digits(sign * difference->mean), sign < 0 ? "shorter" : "longer",
                     three_digits(std::fmin(low, high)), three_digits(std::fmax(low, high)));
}

// With steps as slow as the model's error allows the pick misses its rate. What the best of the
// other kind would miss by then was not tested.
bool is_open_with_slow_steps(const PlanReport& r, const CandidateResult& best) {
  if (!r.plan.model_rps || !r.request.rate_rps) return false;
  const Interval whole =
      whole_interval(sustained_rps(r.plan, best), sampled_rps(r.plan, best), r.plan.model_rps);
  return whole.low < *r.request.rate_rps;
}

// Null where it was not asked.
Json latency_json(const PlanReport& r) {
  const auto& difference = r.plan.split_difference_ms;
  if (!difference) return {};
  const auto& interval = difference->interval;
  return {{"metric", key_of(r.request.slos.front())},
          {"difference_ms", difference->mean},
          {"interval", interval ? Json::array({interval->low, interval->high}) : Json()},
          {"seeds", r.plan.compared_seeds}};
}

}  // namespace

std::string division_text(const PlanReport& r) {
  const CandidateResult* best = r.best();
  if (best == nullptr || !r.plan.asks_division()) return {};
  const bool splits = best->candidate.splits();
  const auto& own = splits ? r.plan.best_split : r.plan.best_aggregated;
  const auto& other = splits ? r.plan.best_aggregated : r.plan.best_split;
  if (!other) {
    return splits ? "splitting prefill from decode is what makes it possible: no other deployment "
                    "was shown to keep the limits"
                  : "splitting prefill from decode does not pay: no split was shown to keep the "
                    "limits";
  }
  const CandidateResult& second = r.plan.candidates[other->index];
  const double share = other->cost / own->cost - 1;
  if (share < 0) return {};  // several models share a fleet, and the pick is dearer for another
  const std::string costs = fmt::format("{}, {}{}", describe_gpus(second.candidate),
                                        cost_against(r, second, share), latency_text(r));
  if (!splits) return "splitting prefill from decode does not pay: the best split, " + costs;
  const bool pays = share > (r.request.rate_rps ? 0 : kRatePrecision);
  const char* answer = !pays                               ? "makes no difference"
                       : is_open_with_slow_steps(r, *best) ? "pays if steps are as predicted"
                                                           : "pays";
  return fmt::format("splitting prefill from decode {}: the best without it, {}", answer, costs);
}

Json division_json(const PlanReport& r) {
  if (r.best() == nullptr || !r.plan.asks_division()) return {};
  const auto id = [&](const std::optional<BestOfDivision>& of) {
    return of ? Json(r.plan.candidates[of->index].id) : Json();
  };
  const auto& a = r.plan.best_aggregated;
  const auto& b = r.plan.best_split;
  return {{"answer", r.best()->candidate.splits() ? "split" : "aggregated"},
          {"best_aggregated", id(a)},
          {"best_split", id(b)},
          {"split_to_aggregated_cost", a && b ? Json(b->cost / a->cost) : Json()},
          {"split_less_aggregated", latency_json(r)},
          {"text", division_text(r)}};
}

}  // namespace plimsoll
