// The findings of `validate`, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "report/form/table.h"
#include "validation/validate.h"

namespace plimsoll {

/// A case that could not be compared, and why.
struct SkippedCase {
  std::string name;
  std::string reason;
};

struct Validation {
  std::vector<CaseResult> cases;
  std::vector<SkippedCase> skipped;
};

std::string validation_text(const Validation& validation, const Style& style);
/// Its first line, without the line break.
std::string validation_verdict(const Validation& validation);
std::string validation_json(const Validation& validation);

// Predicted against measured latencies as charts, and how the text beside them names and counts
// what they show.

/// Whether a figure of the only stage of a case is that of the whole run again: it is shown, and
/// counted, once.
bool repeats_whole_run(const ScoredFigure& figure, const CaseResult& of);

/// "stages[0].ttft_ms.p99" in the words of other reports: "stages[0] TTFT p99 ms".
std::string title_of_path(const std::string& path);

/// One chart for each of the mean TTFT, TPOT and E2E latencies (of whole runs, points and stages)
/// that was compared at all; empty without any.
std::string error_figures(const std::vector<CaseResult>& cases);

}  // namespace plimsoll
