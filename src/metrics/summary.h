// From the record of a run to the figures people ask for; docs/reference/metrics.md defines each.
// The times of a request are noted in engine/step.cc, those of a real server in net/observation.cc.
// Latencies are taken in whole microseconds, as the reference does, and only then divided by 1000.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/semantics.h"
#include "cluster/deployment.h"
#include "engine/run_record.h"
#include "metrics/arrival_counts.h"
#include "metrics/bottleneck.h"
#include "metrics/fairness.h"
#include "metrics/fitness.h"
#include "metrics/goodput.h"
#include "metrics/group_summary.h"
#include "metrics/latency.h"
#include "metrics/over_time.h"
#include "metrics/pools.h"
#include "metrics/saturation.h"
#include "metrics/traffic_groups.h"
#include "metrics/warmup.h"
#include "perf/model_error.h"
#include "stats/steady_state.h"

namespace plimsoll {

/// Mean and greatest over routing decisions.
struct Extent {
  double mean = 0;
  double max = 0;
};

struct DecisionSummary {
  std::int64_t admitted = 0;
  std::int64_t rejected = 0;
  std::int64_t no_target = 0;         ///< no instance serves the model
  std::vector<std::int64_t> targets;  ///< requests routed, by instance
  std::int64_t prompts_apart = 0;     ///< computed on an instance for prefill
  std::int64_t prompts_kept = 0;      ///< of prefill apart from decode: computed with the answer

  // With --counterfactual-k above 0.
  std::int64_t counterfactual_k = 0;
  std::optional<Extent> regret;       ///< best score - score of the chosen one
  std::optional<Extent> excess_load;  ///< effective load of the chosen one - the least

  bool in_text = false;  ///< wanted in the report for people, too

  std::int64_t routed() const {
    std::int64_t sum = 0;
    for (const std::int64_t n : targets) sum += n;
    return sum;
  }
  std::int64_t unique_targets() const {
    std::int64_t used = 0;
    for (const std::int64_t n : targets) used += n > 0 ? 1 : 0;
    return used;
  }
};

/// The options of a summary: what to say beyond the record, and how.
struct SummaryOptions {
  MetricDefinitions definitions = metric_definitions().front();
  WarmupChoice warmup;
  GoodputTargets goodput;
  bool priority_scheduler = false;
  Semantics semantics;
  FitnessRequest fitness;
  std::vector<std::string> detectors;
  SaturationConfig saturation;
  VerdictSink verdict_sink;
  /// Its priorities count inversions, levers are named for it, and the work of its instances gives
  /// MFU and MBU; null = a default one.
  const Deployment* deployment = nullptr;
  std::vector<std::int32_t> clients_of_users;  ///< see users_of()
  const Labels* labels = nullptr;              ///< the names of tenants; null = nobody has one
  /// Requests and tokens per second of the steady state, not of the whole run.
  bool steady_rates = false;
  bool cluster_alone = false;         ///< no latencies of single instances
  std::optional<SteadyState> judged;  ///< judge_record() of the record, where that is known
};

inline constexpr double kIntervalLevel = 0.90;

/// An interval around the figure of that key: the error of a run of this length. How much a figure
/// varies is what requests say that arrive after the warm-up (the one found and the one chosen,
/// whichever is longer), and of rates the time between the warm-up and the last arrival.
struct MetricInterval {
  std::string metric;  ///< key of the figure (metrics/figures.h): "ttft_p99_ms"
  double low = 0;
  double high = 0;
};

/// Null if the run is too short for one.
const MetricInterval* find_interval(const std::vector<MetricInterval>& intervals,
                                    std::string_view metric);

/// The range that the error of the step-time model adds to them (metrics/intervals.h).
struct ModelBand {
  ModelError error;
  SteadyVerdict slow = SteadyVerdict::steady;  ///< of the run with steps as long as may be
  std::vector<MetricInterval> model;           ///< from that error alone
  std::vector<MetricInterval> combined;        ///< with that of the finite run
};

struct Summary {
  MetricDefinitions definitions;
  Warmup warmup;
  GroupSummary cluster;
  std::vector<GroupSummary> instances;
  std::vector<TrafficGroup> classes;  ///< empty if no request has an SLO class
  std::vector<TrafficGroup> tenants;  ///< empty if no request has a tenant
  SessionFigures sessions;
  Users users;
  std::optional<TenantFairness> tenant_fairness;  ///< of two tenants or more
  PriorityInversions priority_inversions;
  std::int64_t blocked_instances = 0;
  std::optional<Goodput> goodput;           ///< if limits were given
  std::vector<SaturationLabel> saturation;  ///< of the detectors that were asked for
  std::optional<Fitness> fitness;           ///< if weights were given
  /// arrived = injected of the cluster + rejected_admission + rejected_routing + still_arriving +
  /// of the gateway: rejected + shed + expired + evicted
  std::int64_t arrived = 0;
  /// Requests in the TTFT that are not in E2E and TPOT: they did not complete.
  std::int64_t first_tokens_alone = 0;
  std::int64_t still_arriving = 0;  ///< between their arrival and a wait queue when the run ended
  std::int64_t rejected_admission = 0;
  std::int64_t rejected_routing = 0;
  std::int64_t shed = 0;  ///< given up under load, at admission or by the gateway
  GatewayRecord gateway;
  double offered_rps = 0;  ///< gaps between arrivals / their sum
  /// Likewise with the rounds that sessions have not come to, each of which waits for the answer
  /// before: what would arrive if all of them were answered at once.
  double asked_rps = 0;
  ArrivingWork arriving_work;
  SteadyState steady_state;
  std::vector<MetricInterval> intervals;  ///< empty unless steady; those the run is long enough for
  std::optional<ModelBand> model_band;    ///< not set by summarize()
  /// Nobody tried a run this long with steps as slow as they may be, or what tried it was
  /// interrupted; not set by summarize().
  bool model_error_untested = false;
  /// The run, or what tries it again, ended before its end; not set by summarize().
  bool interrupted = false;
  Balance balance;
  Bottleneck bottleneck;
  Pools pools;
  std::optional<DecisionSummary> decisions;    ///< if they were traced; not set by summarize()
  std::optional<LatenciesOverTime> over_time;  ///< for a page; not set by summarize()
};

/// Takes two scratch columns at a time beside the record.
Summary summarize(const RunRecord& record, const SummaryOptions& options = {});

// MFU, MBU, power and energy of the instances of a run and of all of them together, where the
// arithmetic of every pool is known.

/// Fills in Efficiency of a summary of that run, which took `run_s`.
void set_efficiency(const RunRecord& record, const Deployment& deployment, double run_s,
                    Summary* summary);

}  // namespace plimsoll
