// From the words after a verb to a Command. Long flags only, `--name value` or `--name=value`;
// switches may stand alone. Every mistake on the command line is reported at once.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace plimsoll {

struct ShardTask;  // cli/shared_work.h

/// The question of the user: a verb with its flags and arguments, each of which is valid by itself.
struct Command {
  const Verb& verb;
  Options options;
  std::vector<std::string> arguments;  ///< as many as the verb takes
  std::vector<std::string> notes;      ///< for stderr, e.g. a deprecated name was used
  const ShardTask* task = nullptr;     ///< of a worker: one shard of the answer, in place of it
};

Result<Command> parse_command(const Verb& verb, Words words);

}  // namespace plimsoll
