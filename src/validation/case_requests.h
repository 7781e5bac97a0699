// The rows of a case: what arrived, beside what was measured of it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "validation/case.h"

namespace plimsoll {

/// Fills in `requests` and `rows` from a CSV file, plain or compressed, in order of arrival.
/// `block_size`: tokens of the blocks that a column `block_hash_ids` names.
Result<void> read_case_requests(const std::string& path, std::int64_t block_size,
                                CaseWorkload* workload);

}  // namespace plimsoll
