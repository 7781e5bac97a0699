// A run of a comparison in a journal (base/journal.h), without loss: what comes back prints the
// same bytes in every report of comparisons.
#pragma once

#include <optional>

#include "base/json.h"
#include "metrics/summary.h"

namespace plimsoll {

/// What comparisons say of it (metrics/comparison.h): the rest is left out.
Json json_of_summary(const Summary& summary);
/// None: it is no such summary.
std::optional<Summary> read_summary(const Json& json);
bool is_summary(const Json& json);

}  // namespace plimsoll
