// The named values of what a flag can choose and no table of policies has.
#pragma once

#include "base/choice.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "setup/run_spec.h"

namespace plimsoll {

Choices<Sampling> sampling_choices();
Choices<Engine> engine_choices();
Choices<SemanticsMode> semantics_choices();
Choices<SessionMode> session_choices();

}  // namespace plimsoll
