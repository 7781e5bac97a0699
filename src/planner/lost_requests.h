// Requests that were not served: how many, and whether more instances would have served them.
// Called by planner/load_probe.h.
#pragma once

#include "engine/run_record.h"
#include "planner/load_probe.h"

namespace plimsoll {

/// Of all requests, those that the instances can never serve: too long for the model's limit or for
/// the KV cache.
double share_never_served(const RequestTable& requests);
Because<ProbeCause> why_never_served(const RequestTable& requests);

/// Those that can never be served are left out, as in verdicts (stats/steady_state.h).
Because<ProbeCause> why_lost(const RequestTable& requests);

/// Turned away whatever the load, as a share: by an admission policy that does not look at the
/// instances, or for a model that none of them has.
double share_always_turned_away(const RequestTable& requests);

}  // namespace plimsoll
