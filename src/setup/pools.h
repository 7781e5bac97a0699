// The pools of a run, whoever says them: a fleet file, the flags of prefill and decode apart, or
// those of instances that are all alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/deployment.h"
#include "perf/model_error.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// A fleet file or flags say how many instances each of several pools has.
bool names_pools(const RunSpec& run);
/// Some of these compute prompts for others.
bool splits(const RunSpec& run);

/// Instances of some pool have several data-parallel ranks, or experts spread over their GPUs.
bool has_ranks(const RunSpec& run);
bool spreads_experts(const RunSpec& run);

/// Refuses settings of pools that cannot go together.
Result<void> check_pools(const RunSpec& run);

/// In the order of Deployment::pools: those for prefill first.
std::vector<PoolSpec> asked_pools(const RunSpec& run);
std::int64_t instances_of(const RunSpec& run);

/// The run as the instances of one pool have it.
RunSpec run_of(const RunSpec& run, const PoolSpec& pool);

/// Returns the error of the less known step times of two pools, as uncertain as the deployment is.
/// None where one is not known.
std::optional<ModelError> less_known_of(const std::optional<ModelError>& a,
                                        const std::optional<ModelError>& b);

/// Sets Pool::speed of each pool, where there is more than one on its side: what the fleet file
/// says, or how many requests of the mean lengths of the run's flags an instance should serve by
/// arithmetic (planner/estimate.h).
void set_speeds(const RunSpec& run, const std::vector<PoolSpec>& asked, std::vector<Pool>* pools);

/// An error or a note of one pool of several.
Error in_pool(const RunSpec& run, const PoolSpec& pool, Error error);
std::string in_pool(const RunSpec& run, const PoolSpec& pool, const std::string& note);

/// `made`: of the same order.
std::vector<ConfigEntry> describe_pools(const RunSpec& run, const std::vector<PoolSpec>& asked,
                                        const std::vector<Pool>& made);

/// Values of the pool that answers first, in `entries`, become those that the flags gave for all
/// pools, or are said to come from the fleet file.
void tell_flags_from_file(const RunSpec& run, const PoolSpec& pool,
                          std::vector<ConfigEntry>* entries);

}  // namespace plimsoll
