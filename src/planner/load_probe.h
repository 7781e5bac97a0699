// Does this deployment keep its SLOs at this rate? Runs it with more and more requests until that
// is clear. The one question that all of planner/ asks; everything else decides of what and when.
//
// An SLO on a percentile is asked as what it means: is the share of requests above the limit
// larger than tolerated? The share after the warm-up has an interval by batch means (Woodruff 1952,
// as for the percentiles of a report); the question is answered once the interval lies on one side.
// Where the share has none, as few exceed and those together, that of the percentile answers.
// Looking again after each longer run costs confidence: look j may be wrong with probability
// alpha / (j (j + 1)), all looks together with alpha.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/because.h"
#include "base/result.h"
#include "base/semantics.h"
#include "cluster/deployment.h"
#include "cluster/simulation.h"
#include "metrics/summary.h"
#include "perf/model_error.h"
#include "planner/slo.h"
#include "stats/batch_means.h"
#include "stats/steady_state.h"
#include "workload/request.h"

namespace plimsoll {

/// The requests of one run.
struct Load {
  std::unique_ptr<RequestSource> source;
  std::shared_ptr<const void> keeps;  ///< what the source reads from
  std::uint64_t seed = 42;
  Time horizon = kNever;
  double rate_rps = 0;    ///< where the maker was asked for something else than a rate
  bool is_whole = false;  ///< a trace or a specification: all there is, whatever was asked for
};

/// The same requests each time, the first so many of them, scaled in time to the rate: request i
/// has its lengths in every run (common random numbers). A finite load gives what it has.
using LoadMaker = std::function<Result<Load>(double rate_rps, std::int64_t requests)>;

/// The system that is tested. Shared between threads; nothing of it changes.
struct ProbedSystem {
  Deployment deployment;
  Semantics semantics;
  std::vector<Slo> slos;  ///< may be empty: then only the queue must not grow
  LoadMaker load;
  /// The same traffic with the next seeds; empty: there is but one (a trace), or no need of others.
  std::vector<LoadMaker> other_loads{};
  bool prefixes_are_cached = false;         ///< as SimulationOptions has it
  bool one_by_one = false;                  ///< each request is served by itself (alone())
  std::optional<ModelError> model_error{};  ///< of its step times; none: they are taken as exact
};

struct ProbeEffort {
  std::int64_t first_requests = 0;  ///< of the first run; 0 = as few as the SLOs allow
  std::int64_t most_requests = 400'000;
  double alpha = 0.05;  ///< probability of a wrong answer, at most
  double share = 1;     ///< of the instances of a large cluster (planner/cluster_share.h)
  double warmup_s = 0;  ///< from the first arrival on, never counted; more where a run shows more
};

enum class Answer { holds, fails, unclear };

std::string_view name_of(Answer answer);

struct SloFigure {
  double value_ms = 0;
  std::optional<Interval> interval_ms;  ///< 90 %; none: too short a run, or a percentile of gaps
  double exceeding_share = 0;  ///< of requests, or of gaps; those that were not served exceed
  double unserved_share = 0;   ///< of requests: they have no such figure
  std::int64_t requests = 0;   ///< that the limit is on, after the warm-up
  Answer answer = Answer::unclear;
  bool within_reach = true;  ///< where unclear: the longest run might tell
  /// The least and the most of the runs with all seeds; none: there is one run.
  std::optional<Interval> over_seeds_ms{};
  double limit_ms = 0;

  /// How far it is below the limit, as a share of that.
  double margin(const Slo& slo) const { return 1 - value_ms / to_ms(slo.limit); }
};

/// The grounds of an answer. `slo`: the place of the one that it is about.
enum class ProbeCause : std::int8_t {
  none,
  steady_state,  ///< see LoadProbe::state
  never_served,  ///< share of requests, all of them, 1: most are too long for the maximum length
  lost,          ///< share of requests that timed out, that were turned away
  queue_grows,   ///< see LoadProbe::state
  slo_figure,    ///< slo: see LoadProbe::slos
  caches_fill,   ///< prefix caches, for the whole run
  few_requests,  ///< slo, requests that it takes to be told, those there were
  too_close,     ///< slo: cannot be told from its limit
  slo_wanders,   ///< slo: likewise, as its level wanders
  all_in_warmup  ///< its length in seconds
};

/// The part of a run's summary that is kept, in journals, too (planner/probe_record.h).
struct ProbeSummary {
  GroupSummary cluster;
  Bottleneck bottleneck;
  std::vector<MetricInterval> intervals;
  // What journals leave out:
  Pools pools;  ///< of unlike ones
  /// SessionFigures::found_before, where rounds should be together.
  std::optional<double> found_before = std::nullopt;
};

struct LoadProbe {
  double rate_rps = 0;
  std::int32_t instances = 0;
  std::int64_t requests = 0;  ///< of the last run, the longest one
  /// How many of the instances, which stand for all of them (planner/cluster_share.h).
  std::int32_t simulated = 0;
  std::int64_t draw = 0;    ///< of which load: 0 is ProbedSystem::load, others follow
  std::uint64_t seed = 42;  ///< of that load
  std::int64_t seeds = 1;   ///< how many loads said so (planner/capacity.h)
  Answer answer = Answer::unclear;
  SteadyState state;
  std::vector<SloFigure> slos;  ///< in the order of ProbedSystem::slos
  Because<ProbeCause> reason;
  double lost_share = 0;  ///< of the requests, turned away or timed out, whatever the answer
  /// Fails by requests that are never served, whatever the load: no number of instances holds.
  bool is_turned_away = false;
  ProbeSummary summary;      ///< of the last run
  bool interrupted = false;  ///< the last run is not whole, and nothing was judged
  bool is_refuting = false;  ///< its seed is why the answer is unclear; others hold

  bool is_of_share() const { return simulated > 0 && simulated < instances; }
  /// How far it is from its limits: the largest logarithm of a latency over its limit, so that 0
  /// is at one of them. None: its queue grows, or nothing is limited.
  std::optional<double> strain() const;
  /// The rate at which requests are answered in a test that fails since its queue grows.
  std::optional<double> served_rps() const;
  /// More requests than a test lets be lost are too long to be served at all.
  bool turns_lengths_away() const { return reason.cause == ProbeCause::never_served; }
};

/// The share of its requests that have no figure under a limit, or that were turned away, timed out
/// or were too long.
double unserved_share(const LoadProbe& test);

/// Misses the limit by requests that have no such figure.
bool lacks_requests(const Slo& slo, const SloFigure& figure);

/// Whether the level of a figure that cannot be told from its limit wanders, so that there is no
/// interval at any length.
bool wanders(const Slo& slo, const SloFigure& figure);

/// How many requests a first run needs at least to say anything about these SLOs.
std::int64_t fewest_requests(const std::vector<Slo>& slos);

/// With fewer requests nothing is said about this SLO; 0: any number of them says something.
std::int64_t least_to_tell(const Slo& slo);

/// An error is that of the load maker, or of a load without requests.
Result<LoadProbe> probe_load(const ProbedSystem& system, double rate_rps, const ProbeEffort& effort,
                             Monitor* monitor = nullptr);

}  // namespace plimsoll
