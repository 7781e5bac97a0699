// Files of `plan --emit` say in their last line that plimsoll wrote them, with a checksum of the
// rest: such a file may be written again, and one that somebody wrote or changed may not. Called by
// plan_emit.cc.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll {

/// `text` ends in a newline; the mark is a comment of shells and of YAML.
std::string marked_as_emitted(std::string_view text);

/// A usage error where a file of this name is there and is not as it was emitted; else, what
/// check_replaceable() says.
Result<void> check_emitted(const std::string& path);

}  // namespace plimsoll
