// Flags that were given and change nothing, as notes for stderr: nobody should believe in a gateway
// that holds nobody back.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "metrics/summary.h"
#include "setup/setup.h"

namespace plimsoll {

/// The deployment (setup/setup.h); of the notes, those on flags without effect come first.
Result<Setup> setup_of(const Options& options);

/// Flags that have no effect beside the others, or without them.
std::vector<std::string> notes_on_idle_flags(const Options& options);

/// Classes and tenants that flags name and that no request of the run had.
std::vector<std::string> notes_on_absent_names(const Options& options, const Summary& summary);

}  // namespace plimsoll
