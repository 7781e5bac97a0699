// Random clusters, small enough that memory runs out, requests preempt each other and times
// coincide. Called inside rapidcheck properties, where the choices shrink when the property fails.
//
// PLIMSOLL_RC_CASES=100000 runs that many cases instead of the usual number; RC_PARAMS="seed=7"
// tries other ones.
#pragma once

#include "base/semantics.h"
#include "reference/case.h"

namespace plimsoll::reference {

/// A fixed seed, so that two runs of the tests do the same. Call it before rc::check.
void configure_rapidcheck();

Case pick_case(const Semantics& semantics);

}  // namespace plimsoll::reference
