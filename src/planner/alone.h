// Each request by itself, on one instance that has nothing else to do, with all that others may
// share of its prompt in the cache. No deployment of that instance, of however many, with whatever
// routing and however warm, serves it faster: where this does not keep a limit, nothing does. It is
// what rules candidates out, so it holds less work than any real load, never more.
#pragma once

#include "planner/load_probe.h"

namespace plimsoll {

/// The same requests, lengths and deadlines, 1 / rate apart, whatever their arrivals were.
ProbedSystem alone(ProbedSystem system);

}  // namespace plimsoll
