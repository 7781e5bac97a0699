// Flags of options, and as they are typed: the commands that verbs print or make for one another.
// report/form/field_text.h has the form of one flag.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "setup/run_config.h"

namespace plimsoll {

/// Flags by their canonical names, with their texts; of one that may be repeated, each.
using GivenFlags = std::multimap<std::string, std::string, std::less<>>;

/// The flags that ask for these options: parse_command() reads the same from them.
GivenFlags flags_of(const Options& options);

bool is_given(const Options& options, std::string_view flag);

/// A flag that is asked for, with its text.
struct AskedFlag {
  const Flag* flag;
  std::string text;
};

/// Those of flags_of() in the order of the table, of what is wanted.
std::vector<AskedFlag> asked_flags(const Options& options,
                                   const std::function<bool(const Flag&)>& wanted);

/// One word for parse_command(): "--rate=10", "--check", "--check=false".
std::string flag_word(const Flag& flag, const std::string& given);

/// The words of asked_flags().
std::vector<std::string> flag_words(const Options& options,
                                    const std::function<bool(const Flag&)>& wanted);

/// A flag that nobody resolved any further, as it was typed: switches and numbers as such.
ConfigValue value_of_flag(const Flag& flag, const std::string& text);

/// " --rate 10 --check" for a POSIX shell, of flag_words().
std::string typed_flags(const Options& options, const std::function<bool(const Flag&)>& wanted);

}  // namespace plimsoll
