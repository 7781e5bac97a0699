// What a run shows for certain, and what it shows only because it began empty. Called by
// planner/load_probe.cc.
#pragma once

#include "engine/run_record.h"

namespace plimsoll {

/// What a run says that a longer one could not take back.
struct Evidence {
  bool growth = true;       ///< a backlog that grows is no system that fills up
  bool latency = true;      ///< a limit that is exceeded for certain stays exceeded
  bool is_filling = false;  ///< prefix caches: with warm ones everything may be faster
};

/// Of a run: may a longer one come? `whole`: this is all the traffic there is.
enum class Length { may_grow, longest, whole };

/// A run that began empty shows latencies that only grow, unless its caches were empty, too: while
/// these fill it shows nothing that lasts, however long it was. Traffic that is whole counts as it
/// is.
Evidence evidence_of(const RequestTable& requests, Length length);

}  // namespace plimsoll
