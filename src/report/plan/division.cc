// Prefill and decode apart or not, GPUs of one type or of two: what a plan says of it.
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "planner/plan_figures.h"
#include "planner/turning_points.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/plan/figures.h"
#include "report/plan/plan.h"

namespace plimsoll {
namespace {

bool pays_dollars(const PlanReport& r, const CandidateResult& c) {
  return r.request.objective != Objective::least_gpus && c.missing_prices.empty() && c.price;
}

// Between the replicas that were shown to hold and those that were shown to be too few are some
// that no test decided.
bool fewer_may_do(const PlanRequest& request, const CandidateResult& r) {
  if (!request.rate_rps || !r.at_bad) return false;
  return r.candidate.replicas_of(r.at_bad->instances) + 1 < r.candidate.replicas;
}

// The cost of the other against that of the pick: "costs 33 % more", "costs as much".
std::string cost_against(const PlanReport& r, const CandidateResult& other, double share) {
  const bool by_latency = r.request.objective == Objective::lowest_latency;
  const bool by_request = !r.request.rate_rps && !by_latency;
  const std::string what = by_latency ? "is slower" : pays_dollars(r, other) ? "costs" : "takes";
  const std::string gpus = pays_dollars(r, other) || by_latency ? "" : " GPUs";
  const std::string of = by_request ? " per request" : "";
  if (share <= tied_share(r.request)) {
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

// At the slow end of the model's error the pick misses its rate. What the best of the
// other kind would miss by then was not tested.
bool is_open_with_slow_steps(const PlanReport& r, const CandidateResult& best) {
  if (!r.plan.model_rps || !r.request.rate_rps) return false;
  return served_rps(r.plan, best).low < *r.request.rate_rps;
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

const char* answer_word(DivisionAnswer answer) {
  constexpr std::array kWords{"was not shown to help, nor was anything else", "does not pay",
                              "makes no difference", "pays"};
  return kWords[static_cast<std::size_t>(answer)];
}

std::string name_of(DivisionKind division, DivisionAnswer answer) {
  constexpr std::array kOfSplit{"neither", "aggregated", "even", "split"};
  constexpr std::array kOfMix{"neither", "alone", "even", "mixed"};
  return (division == DivisionKind::split ? kOfSplit : kOfMix)[static_cast<std::size_t>(answer)];
}

// "from 1,000 to 2,000 prompt tokens splitting does not pay; from 2,380 to 16,000 it pays"
std::string turns_text(const DivisionTurns& turns) {
  const auto at = [&](const DivisionPoint& p) { return three_digits(turns.asked * p.factor); };
  const char* what = turns.of == DivisionKind::split ? "splitting" : "mixing GPU types";
  std::string text;
  const std::vector<DivisionPoint>& points = turns.points;
  for (std::size_t first = 0, last = 0; first < points.size(); first = ++last) {
    while (last + 1 < points.size() && points[last + 1].answer == points[first].answer) ++last;
    const bool begins = first == 0;
    text += begins ? "" : "; ";
    text += first == last ? "at " + at(points[first])
                          : fmt::format("from {} to {}", at(points[first]), at(points[last]));
    if (begins) text += " " + turns.unit;
    text += fmt::format(" {} {}", begins ? what : "it", answer_word(points[first].answer));
  }
  return text;
}

Json id_or_null(const PlanReport& r, const std::optional<BestOfDivision>& best) {
  return best ? Json(r.plan.candidates[best->index].id) : Json();
}

Json turns_json(const PlanReport& r, DivisionKind division) {
  Json out = Json::array();
  for (const DivisionTurns& turns : r.turns) {
    if (turns.of != division) continue;
    const auto point_json = [&](const DivisionPoint& p) {
      return Json{{"value", turns.asked * p.factor}, {"answer", name_of(division, p.answer)}};
    };
    out.push_back({{"varied", turns.key}, {"points", Json::array_of(turns.points, point_json)}});
  }
  return out;
}

// Says between which loads the answer turns; empty: between none.
std::string turn_text(const PlanReport& r, DivisionKind division) {
  std::vector<std::string> found;
  for (const DivisionTurns& turns : r.turns) {
    for (std::size_t i = 1; i < turns.points.size() && turns.of == division; ++i) {
      const DivisionPoint& low = turns.points[i - 1];
      const DivisionPoint& high = turns.points[i];
      if (low.answer == high.answer) continue;
      found.push_back(fmt::format("between {} and {} {}", three_digits(turns.asked * low.factor),
                                  three_digits(turns.asked * high.factor), turns.unit));
    }
  }
  return found.empty() ? "" : "; that answer turns " + join(found, " and ");
}

// Empty: that was no question. Likewise mix_text().
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
  const char* open =
      fewer_may_do(r.request, second) ? " (fewer may be enough: too close to call)" : "";
  const std::string costs = fmt::format("{}, {}{}{}", deployment_text(r.request, second.candidate),
                                        cost_against(r, second, share), open, latency_text(r));
  const bool pays = division_answer(DivisionKind::split, r.request, r.plan) != DivisionAnswer::even;
  if (!splits) {
    return fmt::format("splitting prefill from decode {}: the best split, {}",
                       pays ? "does not pay" : "makes no difference to the cost", costs);
  }
  const char* answer = !pays                               ? "makes no difference to the cost"
                       : is_open_with_slow_steps(r, *best) ? "pays if steps are as predicted"
                                                           : "pays";
  return fmt::format("splitting prefill from decode {}: the best without it, {}", answer, costs);
}

// The cost of the best that does not mix two GPU types, or that no mix is better.
std::string mix_text(const PlanReport& r) {
  const CandidateResult* best = r.best();
  if (best == nullptr || !r.plan.asks_mixes()) return {};
  if (!best->candidate.mixes()) return "no mix of two GPU types was found to be better";
  if (!r.plan.best_alone) {
    return "mixing GPU types is what makes it possible: none by itself was shown to keep the "
           "limits";
  }
  const CandidateResult& second = r.plan.candidates[r.plan.best_alone->index];
  const double share = r.plan.best_alone->cost / r.plan.best_mix->cost - 1;
  return fmt::format("the best without a mix, {}{}, {}", describe_gpus(second.candidate),
                     second.price ? " for " + hourly_dollars(second.usd_per_hour) : "",
                     cost_against(r, second, share));
}

}  // namespace

std::vector<std::string> turning_lines(const PlanReport& r) {
  std::vector<std::string> lines = mapped(r.turns, turns_text);
  if (!lines.empty()) lines.emplace_back("with steps as predicted, all else as it was asked");
  return lines;
}

std::string turning_text(const PlanReport& r, DivisionKind division) {
  const std::string text = division == DivisionKind::split ? division_text(r) : mix_text(r);
  return text.empty() ? text : text + turn_text(r, division);
}

std::string pools_text(const PlanReport& r, const CandidateResult& best) {
  const Pools& pools = best.at_good->summary.pools;
  if (!best.candidate.splits() || pools.pools.empty()) return {};
  const std::string full = shortage_text(pools);
  const Division now = division_of(pools);
  const Division few = fewest_with_room(pools);
  const std::int64_t unit = std::gcd(few.prefill, few.decode);
  const PoolRatio ratio{few.prefill / unit, few.decode / unit};
  const bool is_listed = std::ranges::count(r.request.space.pool_ratios, ratio) > 0;
  if (few.prefill + few.decode >= now.prefill + now.decode || is_listed) return full;
  return full + fmt::format(
                    "; {} and {} could carry the load: prefill_decode_ratios may have "
                    "\"{}:{}\", too",
                    few.prefill, few.decode, ratio.prefill, ratio.decode);
}

Json mix_json(const PlanReport& r) {
  if (r.best() == nullptr) return {};
  const auto& alone = r.plan.best_alone;
  const auto& mix = r.plan.best_mix;
  return {{"answer", r.best()->candidate.mixes() ? "mixed" : "alone"},
          {"best_alone", id_or_null(r, alone)},
          {"best_mix", id_or_null(r, mix)},
          {"alone_to_mix_cost", alone && mix ? Json(alone->cost / mix->cost) : Json()},
          {"turning_points", turns_json(r, DivisionKind::mix)},
          {"text", mix_text(r)}};
}

Json division_json(const PlanReport& r) {
  if (r.best() == nullptr || !r.plan.asks_division()) return {};
  const auto& a = r.plan.best_aggregated;
  const auto& b = r.plan.best_split;
  return {{"answer", r.best()->candidate.splits() ? "split" : "aggregated"},
          {"best_aggregated", id_or_null(r, a)},
          {"best_split", id_or_null(r, b)},
          {"split_to_aggregated_cost", a && b ? Json(b->cost / a->cost) : Json()},
          {"split_less_aggregated", latency_json(r)},
          {"turning_points", turns_json(r, DivisionKind::split)},
          {"text", division_text(r)}};
}

}  // namespace plimsoll
