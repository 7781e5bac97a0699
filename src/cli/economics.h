// The flags of `plan` that say what is paid for, and how.
#pragma once

#include "base/result.h"
#include "cli/options.h"
#include "planner/purchase.h"

namespace plimsoll {

/// Flags come before what `economics` says already.
Result<void> say_economics(const Options& options, Economics* economics);

}  // namespace plimsoll
