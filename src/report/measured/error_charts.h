// Measured against predicted, as figures of the page of `validate`: how far each prediction is off,
// with its interval, by the size of what was measured.
#pragma once

#include <string>
#include <vector>

#include "validation/validate.h"

namespace plimsoll {

/// One for each of the mean TTFT, TPOT and E2E latencies (of whole runs, points and stages) that
/// was compared at all; empty without any.
std::string error_figures(const std::vector<CaseResult>& cases);

/// Whether a figure of the only stage of a case is that of the whole run again: it is shown, and
/// counted, once.
bool repeats_whole_run(const ScoredFigure& figure, const CaseResult& of);

}  // namespace plimsoll
