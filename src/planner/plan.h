// Which deployment is best for these limits? Every combination of the space is a candidate: pruned
// by arithmetic, with the reason, or simulated. Two questions, two searches: with a target rate,
// how many replicas does each layout need (planner/rate_search.h); without one, how much does
// each candidate take (planner/rate_search.h).
//
// Work is done in rounds. Each asks the open candidates that could be best, a fixed number of them;
// a candidate is left while its best possible end cannot beat what was shown of another, and comes
// back if that is not confirmed. What runs next is thus a function of the finished rounds: the same
// plan from any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/lists.h"
#include "base/result.h"
#include "catalog/price.h"
#include "perf/model_error.h"
#include "planner/candidate.h"
#include "planner/capacity.h"
#include "planner/deployed.h"
#include "planner/plan_request.h"
#include "planner/purchase.h"
#include "stats/paired.h"

namespace plimsoll {

class Journal;  // base/journal.h

/// An error is why it cannot be deployed: "does not fit". Called from several threads at once.
using Deploy = std::function<Result<Deployed>(const Candidate&)>;

enum class Fate {
  feasible,    ///< shown to keep all limits
  infeasible,  ///< shown not to
  unclear,     ///< neither, within four times the asked duration
  dominated,   ///< not looked at any further: another is better for certain
  pruned       ///< by arithmetic, before any simulation
};

std::string_view name_of(Fate fate);

/// Why a candidate is not the best, or not looked at.
enum class CandidateCause : std::int8_t {
  none,               ///< the best; or nothing is known of it yet
  odd_num_gpus,       ///< is not TP x PP x DP
  refused,            ///< see CandidateResult::refusal
  no_price,           ///< replicas that it needs (0: all that there are); see missing_prices
  too_dear,           ///< likewise, dollars an hour, at most
  too_many_gpus,      ///< likewise, GPUs, at most
  too_few_available,  ///< likewise, GPUs of a type (see short_of()), that there are
  few_replicas,       ///< replicas that it needs, that there are
  serves_too_little,  ///< req/s at most, at least
  not_tested,         ///< before the plan was interrupted
  holds_too_little,   ///< req/s, at least
  fails_idle,         ///< see CandidateResult::deciding, of one that is nearly idle
  fails,              ///< see CandidateResult::deciding
  beaten,             ///< by the candidate of this number
  costs_more,         ///< by this share, than the best; of what the objective counts
  costs_less,         ///< likewise: but it leaves the other models less
  tied,               ///< to this share
};

/// The least that a candidate could still have taken when its search was left.
struct CandidateBound {
  Candidate candidate;      ///< with the replicas; with a target rate fewer do not hold
  double usd_per_hour = 0;  ///< 0: no price is known
  double rate_rps = 0;      ///< without a target rate: it does not serve more
};

struct CandidateResult {
  std::int64_t id = 0;  ///< from 1, in the order of the space
  Candidate candidate;  ///< with the replicas found
  Fate fate = Fate::pruned;
  Because<CandidateCause> reason;
  std::optional<Diagnostic> refusal;  ///< why it cannot be deployed
  std::optional<LoadProbe> deciding;  ///< the test that the reason is about
  FleetSize fleet;
  Bill bill;                         ///< empty: no price is known
  double usd_per_hour = 0;           ///< of the bill
  double good_rps = 0;               ///< the largest rate that was shown to hold
  double bad_rps = 0;                ///< the smallest shown to fail; infinite: none
  std::optional<LoadProbe> at_good;  ///< the run behind good_rps
  std::optional<LoadProbe> at_bad;
  /// For the lowest latency without a target rate: at a rate that is the same for all.
  std::optional<LoadProbe> at_compared;
  /// None: it was searched to its end, so that its figures are its best.
  std::optional<CandidateBound> bound;
  CapacityEstimate estimate;
  double beside_replicas = 0;  ///< of a mix: what serves beside, as so many replicas by arithmetic
  /// The bound of one replica: no test would let it hold more (planner/rate_bound.h).
  double most_rps = std::numeric_limits<double>::infinity();
  std::optional<Price> price;    ///< of most of its GPUs
  std::vector<Price> on_demand;  ///< offers for its GPU, as more of it would be bought
  /// Kinds of purchase without a known price, where money is asked about: what ruled it out.
  std::vector<std::string> missing_prices;
  double cold_start_s = 0;
  std::optional<ModelError> model_error;
  std::vector<std::string> flags;
  bool warmup_is_asked = false;  ///< as the request has it: runs are to leave out that much

  double qps_per_dollar() const { return usd_per_hour > 0 ? good_rps / usd_per_hour : 0; }
};

/// Nothing measured supports its step times (ModelError::is_guess).
bool is_guess(const CandidateResult& result);

/// With a target rate: how much the best would take with its spare replicas.
struct Headroom {
  double good_rps = 0;  ///< the largest rate that was shown to hold, to 1 %; at least the target
  double bad_rps = 0;   ///< the smallest shown to fail; infinite: none
  std::optional<LoadProbe> at_bad;
  std::vector<LoadProbe> tests{};  ///< all of that fleet at other rates
  /// Of as many as the usual headroom takes by arithmetic, where that may not be so; none: it is.
  std::optional<LoadProbe> with_more{};
};

/// To which maximum rates are found, relatively; costs that are closer are ties.
inline constexpr double kRatePrecision = 0.02;

/// The cheapest that keeps all limits, of those that split prefill from decode or of the others, of
/// mixes or of the others.
struct BestOfDivision {
  std::size_t index = 0;  ///< in the plan
  double cost = 0;        ///< by the objective; less is better
};

/// So many replicas of a candidate, spare ones included.
struct SizedCandidate {
  std::size_t index = 0;  ///< in the plan
  std::int64_t replicas = 0;
};

struct Plan {
  std::vector<CandidateResult> candidates;  ///< all of them, by id
  std::optional<std::size_t> best;
  std::optional<BestOfDivision> best_aggregated;
  std::optional<BestOfDivision> best_split;
  std::optional<BestOfDivision> best_alone;   ///< likewise, of GPUs of one type
  std::optional<BestOfDivision> best_mix;     ///< of two
  std::optional<BestOfDivision> best_stored;  ///< that keeps the stored weights
  /// The difference of the first limit's figure, in ms: that of the best split less that of the
  /// best other, seed by seed at the target rate; none: there is no such rate, or one of both is
  /// missing.
  std::optional<PairedDifference> split_difference_ms;
  std::size_t compared_seeds = 0;
  std::vector<std::size_t> ties;  ///< that cannot be told from the best
  /// Where the best is a guess: of those that are none, the one that costs least with as many more
  /// as its steps may be longer. A guess beats no other in the search, so that it was looked for as
  /// if there were no guesses. Where the best is none, but does not hold the target rate with steps
  /// as long as its error allows: what holds it so for less than more of the best do.
  std::optional<std::size_t> cheapest_known;
  /// So many replicas of it hold the target rate with steps as long as its own error allows; 0: not
  /// asked, or none that were tested. The same of the best, where those that are paid for do not;
  /// of a guess where so many cost less than what is known does.
  std::int64_t known_with_slow_steps = 0;
  std::int64_t best_with_slow_steps = 0;
  /// Where the best is a split or a mix: what is neither and, with the same room for the model's
  /// error or the usual headroom, costs less than the best does with it. Where it has other weights
  /// than are stored: what keeps these and costs no more than the best, both with that room. None:
  /// nothing does.
  std::optional<SizedCandidate> plain_with_reserve;
  /// Where nothing holds within the limits on GPUs and money, and these kept candidates out: the
  /// best without them, as it was tested; none: nothing holds without them either.
  std::optional<CandidateResult> beyond_limits;
  bool searched_beyond = false;        ///< whether that was asked
  std::vector<std::size_t> frontier;   ///< by cost: each serves more, or faster, than all cheaper
  std::vector<LoadProbe> best_probes;  ///< all tests of the best, by load
  std::optional<Headroom> headroom;    ///< of the best
  std::optional<ModelError> model_error;  ///< of the best
  /// The most that the best serves with steps as long and as short as that error allows, with its
  /// spare replicas where a rate is to be held; none: not asked.
  std::optional<Interval> model_rps;
  std::int64_t probes = 0;
  bool interrupted = false;

  /// Whether to split is one of the questions.
  bool asks_division() const {
    const auto splits = [](const CandidateResult& r) { return r.candidate.splits(); };
    return std::ranges::any_of(candidates, splits) && !std::ranges::all_of(candidates, splits);
  }
  bool asks_mixes() const {
    return std::ranges::any_of(candidates,
                               [](const CandidateResult& r) { return r.candidate.mixes(); });
  }
  bool is_guess() const { return best && plimsoll::is_guess(candidates[*best]); }
  bool is_best(const CandidateResult& r) const { return best && &candidates[*best] == &r; }
  /// The place of one of its candidates.
  std::size_t index_of(const CandidateResult& r) const {
    return static_cast<std::size_t>(&r - candidates.data());
  }
  bool is_on_frontier(const CandidateResult& r) const { return contains(frontier, index_of(r)); }
  /// That beats this one, which is CandidateCause::beaten.
  const CandidateResult& better_than(const CandidateResult& r) const {
    return candidates[static_cast<std::size_t>(r.reason.figures[0]) - 1];
  }
};

/// How far a plan has come.
struct PlanProgress {
  std::size_t candidates = 0;  ///< that are worth a test
  std::size_t settled = 0;     ///< of these, that need no more
  std::string best;            ///< of what was shown so far, as describe_gpus() has it; empty: none
  std::int64_t best_id = 0;    ///< its number; 0: none
  double best_usd_per_hour = 0;  ///< 0: no price is known
};
/// Called between rounds, by the thread that called make_plan().
using WatchPlan = std::function<void(const PlanProgress&)>;

/// An error if no candidate can be deployed at all. Tests that stand in the journal are taken from
/// there, others go there; null = none.
Result<Plan> make_plan(const PlanRequest& request, const Deploy& deploy, const Execution& execution,
                       Journal* journal = nullptr, const WatchPlan& watch = {});

}  // namespace plimsoll
