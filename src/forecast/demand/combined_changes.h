// Scenarios that happen together. Factors, shares, instances and waits of all of them count; of a
// value that is set, and of a rule by which clients try again, there can only be one. Called by the
// reader of scenarios.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/scenario.h"

namespace plimsoll {

/// Those of the parts, then `own`, of the scenario that combines them and has the last word. An
/// error is what two parts say differently and `own` does not settle.
Result<std::vector<Change>> combined_changes(const std::vector<const Scenario*>& parts, Change own,
                                             const std::vector<std::string>& routes);

}  // namespace plimsoll
