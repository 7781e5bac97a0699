// Completion of the command line in a shell. The scripts ask `plimsoll --complete WORD...` at each
// press of the key, so they never grow old, and know nothing themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs.h"

namespace plimsoll {

struct Completions {
  struct Word {
    std::string text;
    std::string help;  ///< one line; may be empty
  };
  std::vector<Word> words;
  bool files = false;  ///< the name of a file is wanted
};

/// The words that the last of `words` may become; the others stand before it, without the program's
/// name.
/// `--flag=value` may be one word or, as bash splits it, three.
Completions complete(Words words);

/// The text that `plimsoll --complete` prints: one line per word, a tab between word and help; the
/// single line ":files" when the name of a file is wanted.
std::string completion_lines(const Completions& completions);

/// The shells that `plimsoll completion` prints a script for.
std::vector<std::string> completion_shells();

}  // namespace plimsoll
