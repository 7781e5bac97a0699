// From the words after a verb to Options. Long flags only, `--name value` or `--name=value`;
// switches may stand alone. Every mistake on the command line is reported at once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace plimsoll {

struct ParsedFlags {
  Options options;
  std::vector<std::string> notes;      ///< for stderr, e.g. a deprecated name was used
  std::vector<std::string> arguments;  ///< words that belong to no flag
  bool help = false;                   ///< --help was among the words; nothing else was checked
};

/// `most_arguments`: how many words without a flag the verb takes; more are an error.
Result<ParsedFlags> parse_flags(Verb verb, std::span<const std::string> words,
                                std::size_t most_arguments = 0);

}  // namespace plimsoll
