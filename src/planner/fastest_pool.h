// For pools that serve side by side, an instance that serves a request that is alone as fast as the
// fastest of them, step by step. None of them serves it faster, whoever gets it. Asked by alone()
// of planner/capacity.h.
#pragma once

#include <vector>

#include "cluster/deployment.h"

namespace plimsoll {

/// One instance of one rank: a request that is alone is on one. The pools have one batching rule
/// and one block size.
Pool fastest_of(const std::vector<Pool>& pools);

}  // namespace plimsoll
