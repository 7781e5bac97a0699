// The shards of an answer as a job array of Slurm.
#pragma once

#include <memory>
#include <string>

#include "cli/executor.h"

namespace plimsoll {

/// Looks at the queue that fail one after the other before the command ends: five minutes.
inline constexpr int kMostFailedLooks = 100;

/// `program`: the file that tasks start.
std::unique_ptr<Executor> slurm_executor(const std::string& program, const ExecutorSpec& spec);

}  // namespace plimsoll
