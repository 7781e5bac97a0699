// Requests that were not served: in words, and whether more instances would have served them.
// Called by planner/load_probe.h.
#pragma once

#include <string>

#include "engine/run_record.h"

namespace plimsoll {

/// "5.1 % of the requests timed out". Those that can never be served are left out, as in verdicts
/// (stats/steady_state.h).
std::string lost_text(const RequestTable& requests);

/// Turned away whatever the load, as a share: by an admission policy that does not look at the
/// instances, or for a model that none of them has.
double share_always_turned_away(const RequestTable& requests);

}  // namespace plimsoll
