// Measured against predicted, as figures of the page of `validate`: how far each prediction is off,
// with its interval, by the size of what was measured. Called by validation.cc.
#pragma once

#include <string>
#include <vector>

#include "validation/validate.h"

namespace plimsoll {

/// One for each of the mean TTFT, TPOT and E2E latencies (of whole runs, points and stages) that
/// was compared at all; empty without any.
std::string error_figures(const std::vector<CaseResult>& cases);

}  // namespace plimsoll
