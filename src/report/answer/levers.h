// What a test shows to help where more instances do not.
#pragma once

#include <string>
#include <string_view>

#include "metrics/bottleneck.h"
#include "planner/load_probe.h"

namespace plimsoll {

inline constexpr std::string_view kSpread =
    "Spread the requests over all instances (--routing-policy least-loaded)";

/// The router had most requests served by few of the instances. `test` may be null.
bool leaves_idle(const LoadProbe* test);

/// "try --routing-policy session-affinity: ...": a router that costs nothing and may hold what a
/// test of this summary did not. Where unlike instances share requests that do not go by their
/// load, the slow ones set the limit. Empty: none is known.
std::string router_to_try(const ProbeSummary& failing);

/// The key of the flag that a lever leaves out; empty: it leaves out none.
std::string_view flag_to_omit(Remedy lever);

/// How many instances there are to be is what searches decide by tests.
Because<Remedy> bucket_alone(const Because<Remedy>& lever);

/// Says what lets so many requests per second in, where a policy turned requests away in the test
/// that failed; empty: more instances are what helps. `failing` may be null.
std::string let_more_in(const LoadProbe* failing, double wanted_rps);

}  // namespace plimsoll
