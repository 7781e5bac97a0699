// The instances of a random case (random_case.h), the gateway before them and their limits.
#pragma once

#include "base/semantics.h"
#include "cluster/deployment.h"
#include "reference/random_case.h"

namespace plimsoll::reference {

/// Called inside a property. Without its step-time model.
Deployment pick_deployment(const Semantics& semantics, const Scale& scale);

}  // namespace plimsoll::reference
