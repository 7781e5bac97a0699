// Keys of servers, which stand in environment variables.
#pragma once

#include <string>

#include "base/result.h"

namespace plimsoll {

/// The key in a variable; empty where there is none. From now on it is hidden in all that leaves
/// the program (base/redaction.h). A usage error, which does not show it, where a header cannot
/// carry it as one word (RFC 6750).
Result<std::string> secret_key(const std::string& variable);

}  // namespace plimsoll
