// The runs of a comparison as units of work (cli/shared_work.h): each variant with each seed.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/shared_work.h"
#include "cli/variants.h"
#include "setup/trials.h"

namespace plimsoll {

/// The digest covers the files of all variants, and those that they name in turn.
JournalHead question_of_trials(const Command& command, const std::vector<Variant>& variants,
                               const std::vector<Trial>& trials);

/// Takes what the journal has, and keeps there what it lacks. Both have to outlive it.
TrialWatch watch_for(SharedWork* work, const std::vector<Variant>& variants, std::size_t threads);

}  // namespace plimsoll
