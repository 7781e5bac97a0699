// Flags as they are typed: the commands that verbs print or make for one another. Called by the
// verbs; report/form/typed_word.h has the form of one flag.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cli/flags.h"

namespace plimsoll {

/// One word for parse_command(): "--rate=10", "--check", "--check=false".
std::string flag_word(const Flag& flag, const std::string& given);

/// " --rate 10 --check" for a POSIX shell, in the order of the table: what `wanted` takes of
/// Options::given.
std::string typed_flags(const std::map<std::string, std::string, std::less<>>& given,
                        const std::function<bool(const Flag&)>& wanted);

}  // namespace plimsoll
