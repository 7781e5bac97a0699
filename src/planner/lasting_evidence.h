// What a run shows for certain, and what it shows only because it began empty. Called by
// planner/load_probe.cc.
#pragma once

#include "engine/run_record.h"

namespace plimsoll {

/// What a run says that a longer one could not take back.
struct Evidence {
  bool growth = true;   ///< a backlog that grows is no system that fills up
  bool latency = true;  ///< a limit that is exceeded for certain stays exceeded
};

/// A run that began empty shows latencies that only grow, unless its caches were empty, too. The
/// longest run counts as it is.
Evidence evidence_of(const RequestTable& requests, bool is_longest);

}  // namespace plimsoll
