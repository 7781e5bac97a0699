// The verbs. Each takes the words after its name, prints its results on stdout and everything
// else on stderr, and returns the exit code.
#pragma once

#include <span>
#include <string>

namespace plimsoll {

using Words = std::span<const std::string>;

int run_verb(Words words);
int replay_verb(Words words);
int list_verb(Words words);

/// The whole command line without the program's name: finds the verb and runs it.
int run_command_line(Words words);

}  // namespace plimsoll
