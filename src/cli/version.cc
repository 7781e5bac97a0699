#include "cli/version.h"

#include <string>

#include "cli/console.h"
#include "cli/run_functions.h"

namespace plimsoll {

std::string_view version() { return PLIMSOLL_VERSION; }

Result<int> version_verb(const Command&) {
  return print_result("plimsoll " + std::string(version()) + "\nbuild " + std::string(build_id()) +
                      "\n");
}

}  // namespace plimsoll
