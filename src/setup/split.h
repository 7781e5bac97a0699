// Prefill and decode on different instances, from its specification to pools. Used by make_setup().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/deployment.h"
#include "perf/model_error.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

const std::vector<std::string>& transfer_modes();
const std::vector<std::string>& first_token_makers();

/// The decider that the run chooses.
std::string pd_decider_name(const RunSpec& run);

/// What cannot go together.
Result<void> check_split(const RunSpec& run);

/// The run as the instances of one role have it: with their GPU and layout.
RunSpec run_of(const RunSpec& run, PoolRole role);

/// Of the step times of both pools: a deployment is as uncertain as the less known of them. None
/// where one is not known.
std::optional<ModelError> less_known_of(const std::optional<ModelError>& a,
                                        const std::optional<ModelError>& b);

/// `layers`: of the model.
Result<Disaggregation> disaggregation_of(const RunSpec& run, std::int64_t layers);

std::vector<ConfigEntry> describe_split(const RunSpec& run, const Deployment& deployment);

}  // namespace plimsoll
