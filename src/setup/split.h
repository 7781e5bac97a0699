// The exchange between instances for prefill and those that answer: who decides, what travels and
// how. The pools themselves are those of setup/pools.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/deployment.h"
#include "setup/run_config.h"
#include "setup/run_spec.h"

namespace plimsoll {

const std::vector<std::string>& transfer_modes();
const std::vector<std::string>& first_token_makers();

/// The decider that the run chooses.
std::string pd_decider_name(const RunSpec& run);

/// `layers`: of the model.
Result<Disaggregation> disaggregation_of(const RunSpec& run, std::int64_t layers);

/// Of a pool with a link of its own.
Result<std::optional<double>> link_gb_per_s_of(const PoolSpec& pool);

std::vector<ConfigEntry> describe_split(const RunSpec& run, const Disaggregation& split);

}  // namespace plimsoll
