// The comparison of one case in a journal (base/journal.h), without loss: what comes back prints
// the same bytes in every report.
#pragma once

#include <optional>

#include "base/json.h"
#include "validation/validate.h"

namespace plimsoll {

Json json_of_case_result(const CaseResult& result);
/// None: it is no such comparison.
std::optional<CaseResult> read_case_result(const Json& json);
bool is_case_result(const Json& json);

}  // namespace plimsoll
