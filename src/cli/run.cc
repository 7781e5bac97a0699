// `plimsoll run`: what happens under this load? Traffic comes from flags or a workload
// specification.
#include "cli/run_functions.h"
#include "cli/simulate.h"

namespace plimsoll {

Result<int> run_verb(const Command& command) { return simulating_verb(command, generated_traffic); }

}  // namespace plimsoll
