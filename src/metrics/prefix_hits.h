// How many prompt tokens the prefix caches had, as vLLM counts queries and hits: once for each
// request, when it is first put in a batch of the instance that computes its prompt. Answers are
// not looked up.
#pragma once

#include "engine/run_record.h"
#include "metrics/summary.h"

namespace plimsoll {

/// GroupSummary::prefix_hit_rate of the cluster and its instances.
void set_prefix_hits(const RequestTable& table, Summary* summary);

}  // namespace plimsoll
