// The pools of a run for programs.
#pragma once

#include "base/json.h"
#include "metrics/pools.h"

namespace plimsoll {

/// "disaggregation" where prompts are computed apart, "fleet" where several pools serve whole
/// requests; nothing where all instances are alike.
void put_pools(const Pools& pools, Json* to);

}  // namespace plimsoll
