// A plan, or one shard of its tests.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/parse.h"
#include "cli/plan_session.h"

namespace plimsoll {

/// Answers a plan of one model or of several. `task`: null for the whole plan. Returns the exit
/// code.
Result<int> answer_plan(const Command& command, const std::optional<RequestFile>& file,
                        const ShardTask* task);

}  // namespace plimsoll
