// Requests that were not served: in words, and whether more instances would have served them.
// Called by planner/load_probe.h.
#pragma once

#include <string>

#include "engine/run_record.h"

namespace plimsoll {

/// Of all requests, those that the instances can never serve: too long for the model's limit or for
/// the KV cache.
double share_never_served(const RequestTable& requests);
/// "38 % of the requests can never be served: too long for the KV cache". Of the reason of most.
std::string never_served_text(const RequestTable& requests);

/// "5.1 % of the requests timed out". Those that can never be served are left out, as in verdicts
/// (stats/steady_state.h).
std::string lost_text(const RequestTable& requests);

/// Turned away whatever the load, as a share: by an admission policy that does not look at the
/// instances, or for a model that none of them has.
double share_always_turned_away(const RequestTable& requests);

}  // namespace plimsoll
