// Figures of a plan and of its candidates that every report shows: money, energy, rates, what gives
// way first. Nothing is simulated for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "planner/plan.h"

namespace plimsoll {

/// At a rate that holds; infinite where nothing was served.
struct PlanCost {
  double usd_per_1k_requests = 0;     ///< $/h / (3.6 x req/s)
  double usd_per_million_tokens = 0;  ///< of output
  /// The energy of a thousand output tokens; 0: not known.
  double wh_per_1k_tokens = 0;
};
PlanCost cost_of(const CandidateResult& result, double rate_rps);

/// The same traffic at a service that is paid by the token.
struct ApiCost {
  double usd_per_1k_requests = 0;  ///< mean tokens of a request x their prices
  double usd_per_hour = 0;         ///< at that rate
  double break_even_rps = 0;       ///< where it costs as much as the fleet; infinite: nowhere
};
/// None without such a price, without one for the fleet, or where nothing was served.
std::optional<ApiCost> api_cost_of(const Economics& economics, const CandidateResult& result,
                                   double rate_rps);

/// The largest rate that was shown to hold: of the best with a target rate beyond that rate.
double sustained_rps(const Plan& plan, const CandidateResult& result);

/// That rate and the smallest that was shown to fail; infinite: none was.
Interval sampled_rps(const Plan& plan, const CandidateResult& result);

/// The same with the model's error, where it was asked about: of the best alone.
Interval served_rps(const Plan& plan, const CandidateResult& result);

/// What so many replicas like this one cost an hour: those beyond its own are bought on demand,
/// where some of its own are, together with them; else at the price of those that it has.
double usd_of_more(const CandidateResult& result, std::int64_t replicas);

/// With its spare replicas the best fails at the rate that it holds without.
bool fails_with_spare(const PlanRequest& request, const Plan& plan, const CandidateResult& best);

/// Shown to hold what is asked for, whether or not another is better.
bool keeps_limits(const PlanRequest& request, const CandidateResult& result);

/// It holds the end of the range of rates: how much more it takes was not asked.
bool is_at_range_end(const PlanRequest& request, const CandidateResult& result);

struct PlanCounts {
  std::size_t evaluated = 0;  ///< simulated at least once
  std::size_t feasible = 0;   ///< keeps_limits()
};
PlanCounts counts_of(const PlanRequest& request, const Plan& plan);

/// The least load that is too much for the best; null: none was found. With a target rate that is
/// one beyond it: of fewer replicas the best is the answer already.
const LoadProbe* load_too_much(const PlanRequest& request, const Plan& plan,
                               const CandidateResult& best);

/// The test of one replica fewer than the best has, if that did not decide; null: it did.
const LoadProbe* open_below(const PlanRequest& request, const Plan& plan,
                            const CandidateResult& best);

/// A test of requests that no deployment serves, because of their length or because they are turned
/// away; null where any candidate fails for another reason.
const LoadProbe* refused_everywhere(const Plan& plan);

/// What could be deployed lacks a price, all of it.
bool has_no_prices(const Plan& plan);

/// Of those that were looked at and do not hold, the nearest to what was asked first.
std::vector<const CandidateResult*> nearest_failures(const PlanRequest& request, const Plan& plan);

/// Bottleneck::resource there; none: nothing was too much.
std::optional<ShortResource> weakest_resource(const PlanRequest& request, const Plan& plan,
                                              const CandidateResult& best);

/// Not where steps, gaps between tokens or the memory give way: larger batches make each step
/// longer and take more memory.
bool larger_batches_may_help(const PlanRequest& request, const Plan& plan,
                             const CandidateResult& best);

// The deployments that stand beside the pick of a plan: the best whose kernels were measured, the
// best that splits prefill from decode or does not, of
// each GPU type the best, what is worth its price, and what is tied with the pick. Each is what was
// tested; where no test held, the bound: the least that a candidate could have taken when it could
// not beat the pick any more. Every report chooses by this rule and shows each so.

struct Alternative {
  const CandidateResult* result = nullptr;

  bool is_bound() const { return result->bound && !result->at_good; }
  const Candidate& candidate() const {
    return is_bound() ? result->bound->candidate : result->candidate;
  }
  double usd_per_hour() const {
    return is_bound() ? result->bound->usd_per_hour : result->usd_per_hour;
  }
  double rate_rps() const { return is_bound() ? result->bound->rate_rps : result->good_rps; }
};

/// Of the frontier: the dearest that costs less than the best, and the dearest of all; null: there
/// is none.
struct Neighbours {
  const CandidateResult* cheaper = nullptr;
  const CandidateResult* dearer = nullptr;
};
Neighbours on_frontier_beside(const Plan& plan, const CandidateResult& best);

/// The best of those that keep all limits and are as wanted: by cost, or by rate for it. Null:
/// there is none.
const CandidateResult* best_where(const PlanRequest& request, const Plan& plan,
                                  const std::function<bool(const CandidateResult&)>& wanted);

struct AlternativesAsked {
  std::size_t most = 24;       ///< the dearest are left out
  std::size_t most_tied = 24;  ///< ties are added to fewer than so many
  bool of_each_gpu = true;
};

/// The pick first, the rest by cost, those without a price last.
std::vector<Alternative> alternatives_of(const PlanRequest& request, const Plan& plan,
                                         const AlternativesAsked& asked = {});

}  // namespace plimsoll
