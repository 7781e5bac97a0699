// The rate that one instance should serve by arithmetic alone: steps that are always full, nothing
// ever waits. A guess to begin a search with, and the figure that planners without a simulation
// stop at. The rate that no instance can exceed is another question: planner/rate_bound.h.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/deployment.h"
#include "engine/engine_config.h"
#include "perf/step_time_model.h"
#include "planner/load_probe.h"

namespace plimsoll {

/// The beginnings of some prompts: pieces that are equally common.
struct CommonPrefix {
  double share = 0;   ///< of requests that have such a piece, each
  double tokens = 0;  ///< of these pieces together
};

/// Mean lengths of a traffic.
struct TokenShape {
  double prompt = 0;
  double answer = 0;
  /// The context of a decoding request, averaged over all steps: long answers are seen more often.
  double context = 0;
  double shareable = 0;     ///< of the prompt, what others may have, too: it may be in the cache
  double repeated = 0;      ///< of that, what an earlier request had
  double later_rounds = 0;  ///< share of the requests that continue a conversation
  std::vector<CommonPrefix> prefixes = {};
};

/// From the first 5,000 requests of the load; where it is whole from all, a million at most. An
/// error if there are none.
Result<TokenShape> token_shape(const LoadMaker& load);

enum class EstimateLimit { places, memory, step_tokens, latency };

struct CapacityEstimate {
  double rate_rps = 0;          ///< of one replica: of one instance, or of all pools
  std::int64_t batch = 0;       ///< of an instance that answers, in the mean
  std::int64_t answering = 1;   ///< instances of the replica that answer
  std::int64_t ranks = 1;       ///< data-parallel, of an instance; each has its part of the batch
  double step_ms = 0;           ///< of the first pool that answers
  double prefill_share = 0;     ///< of the step, that its prompt tokens take
  double all_reduce_share = 0;  ///< likewise, that its GPUs take to add up their parts of layers
  EstimateLimit limit = EstimateLimit::places;  ///< of the batch
  bool independent = false;                     ///< instances: a share of them shows what all do
};

/// The estimate with the largest batch that memory and limits allow and that keeps `tpot_limit`
/// (kNoDuration = none). Every step decodes the batch and prefills what the batch needs to stay
/// full: per decode step, prompt / answer tokens of each request. If the engine keeps prefixes,
/// what an earlier request had counts as cached, and what requests of a batch have in common as
/// held once.
CapacityEstimate estimate_capacity(const StepTimeModel& model, const EngineConfig& engine,
                                   const TokenShape& shape, Duration tpot_limit = kNoDuration);

/// The same of an instance of a pool, with what it does: where prompts are computed `apart`, an
/// answer alone or a prompt alone.
CapacityEstimate estimate_pool(const Pool& pool, bool apart, const TokenShape& shape,
                               Duration tpot_limit = kNoDuration);

/// The same of what is deployed, a replica: of several pools what those that answer should serve
/// together, or what those for prefill should, if that is less. One instance, if all are alike.
CapacityEstimate estimate_replica(const Deployment& deployment, const TokenShape& shape,
                                  Duration tpot_limit = kNoDuration);

/// The estimate of so many instances that should serve this each, and so many others beside them,
/// together.
CapacityEstimate side_by_side(const CapacityEstimate& own, std::int64_t instances,
                              const CapacityEstimate& other, std::int64_t others);

/// A rate at which an instance has one request at a time: each has long left when the next comes,
/// even of those that take much longer than the mean.
double alone_rps(const CapacityEstimate& estimate);

/// How long a request stays where steps are always full (Little 1961).
double stay_s(const CapacityEstimate& estimate);

/// How many requests a run should have that shows so many instances at their limit. While a
/// request stays, as many arrive as there are places (Little 1961); a verdict needs 20 mean stays
/// after the warm-up (docs/explanation/statistics.md), so 25. Near its limit an instance is short
/// of places now and then, for several stays on end: 400 stays of all instances together show such
/// times often enough. With 100, one run in five has none where a long one misses its limit
/// fivefold. Ranks have places and a queue of their own: each counts as an instance here.
std::int64_t requests_to_settle(const CapacityEstimate& estimate, std::int64_t instances);

/// The share of instances that are independent whose part of so many requests is as long as the
/// usual longest test.
double share_to_simulate(const CapacityEstimate& estimate, std::int64_t requests);

/// The effort of tests with that many instances at first; where that is more than the usual longest
/// test, they may become twice as long.
ProbeEffort effort_to_settle(const CapacityEstimate& estimate, std::int64_t instances);

/// The least limit on the mean or a percentile of TPOT or ITL; kNoDuration if there is none.
Duration strictest_gap(const std::vector<Slo>& slos);

}  // namespace plimsoll
