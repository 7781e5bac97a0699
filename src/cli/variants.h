// The deployments that `plimsoll compare` is asked about: `--variant "NAME: FLAGS"` and
// `--vary FLAG=VALUE,VALUE`. Each is the common flags with a few of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/parse.h"
#include "cli/typed_flags.h"

namespace plimsoll {

struct Variant {
  std::string name;
  /// Its own flags by canonical name, with the text given; they stand in for common ones.
  GivenFlags own;
  Command command;  ///< common flags and its own
};

/// Flags of the deployment and its price, which may differ; all others are the same for all
/// variants.
bool may_differ(FlagGroup group);

/// The words of a text as a shell would split it: at spaces, but not within single or double
/// quotes. A quote that is not closed is a usage error.
Result<std::vector<std::string>> split_words(std::string_view text);

/// Those of --vary first, then each --variant; at least two. All mistakes are reported at once,
/// each with the name of its variant.
Result<std::vector<Variant>> read_variants(const Command& command);

/// For completion of --vary: "FLAG=" and all its values, of flags with few.
std::vector<std::string> vary_proposals();

/// The error with "variant NAME: " in front of each message that has no place in a file.
Error in_variant(const std::string& name, Error error);

}  // namespace plimsoll
