// The links over which KV blocks travel from one instance to another: the presets of
// --pd-transfer-link. Plain facts with their source, no behaviour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll {

struct LinkRate {
  std::string name;
  double gb_per_s = 0;  ///< in one direction, of one GPU; a gigabyte is 1e9 bytes
  std::string help;     ///< one line
  std::string source;
};

Result<std::vector<LinkRate>> read_links();

/// For errors: the nearest known name is suggested. `flag` is who names it.
Result<LinkRate> find_link(std::string_view name, std::string_view flag);

/// All of them, for help and completion.
std::vector<std::string> link_names();

}  // namespace plimsoll
