// Reads a case folder: `case.yaml` and, where the measurements have rows per request, their file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "validation/case.h"

namespace plimsoll {

/// All errors of case.yaml at once; the first of the requests' file.
Result<Case> read_case(const std::string& folder);

/// `path` itself if it is a case folder, else the case folders in it, by name. An error if there
/// is none.
Result<std::vector<std::string>> find_cases(const std::string& path);

}  // namespace plimsoll
