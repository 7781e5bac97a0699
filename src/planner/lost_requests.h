// Requests that were not served: how many, and whether more instances would have served them.
#pragma once

#include "engine/run_record.h"
#include "planner/load_probe.h"

namespace plimsoll {

/// The share of the requests that the instances can never serve: too long for the model's limit or
/// for the KV cache.
double share_never_served(const RequestTable& requests);
Because<ProbeCause> why_never_served(const RequestTable& requests);

/// Those that can never be served are left out, as in verdicts (stats/steady_state.h).
Because<ProbeCause> why_lost(const RequestTable& requests);
double share_lost(const RequestTable& requests);

/// Turned away whatever the load, as a share: by an admission policy that does not look at the
/// instances, or for a model that none of them has.
double share_always_turned_away(const RequestTable& requests);

// The evidence of a run: what it shows for certain, and what it shows only because it began empty.

/// The findings of a run that a longer one could not take back.
struct Evidence {
  bool growth = true;       ///< a backlog that grows is no system that fills up
  bool latency = true;      ///< a limit that is exceeded for certain stays exceeded
  bool is_filling = false;  ///< prefix caches: with warm ones everything may be faster
};

/// Whether a longer run may come. `whole`: this is all the traffic there is.
enum class Length { may_grow, longest, whole };

/// A run that began empty shows latencies that only grow, unless its caches were empty, too: while
/// these fill it shows nothing that lasts, however long it was. Traffic that is whole counts as it
/// is.
Evidence evidence_of(const RequestTable& requests, Length length);

}  // namespace plimsoll
