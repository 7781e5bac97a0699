// One test of a plan in its journal (base/journal.h), without loss: what comes back prints the same
// bytes in every report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "planner/capacity.h"

namespace plimsoll {

/// The name of a test: of that candidate (its id) of that model (PlanRequest::place).
std::string unit_of(std::int64_t model, std::int64_t candidate, const ProbeJob& job);

Json json_of_probe(const LoadProbe& probe);
/// None: it is no test.
std::optional<LoadProbe> read_probe(const Json& json);
bool is_probe(const Json& json);

}  // namespace plimsoll
