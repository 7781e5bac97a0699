// Waits until all shards are in their folder.
#pragma once

#include <functional>

#include "base/result.h"
#include "cli/executor.h"
#include "cli/run_folder.h"

namespace plimsoll {

enum class Sharing {
  done,         ///< all shards are there
  interrupted,  ///< somebody no longer wants to wait
  elsewhere     ///< they will be there some day
};

struct Waiting {
  bool waits = true;  ///< else: only submits
  std::function<bool()> keep_going;
  std::function<void(std::size_t missing)> show;      ///< called some times a second
  std::function<void(const std::string& note)> note;  ///< for stderr
};

/// An error where a shard came to no end: it names the shards, and what the first of them said.
Result<Sharing> carry_out_shards(const RunFolder& folder, Executor* executor,
                                 const Waiting& waiting);

}  // namespace plimsoll
