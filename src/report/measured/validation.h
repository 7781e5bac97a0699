// The findings of `validate`, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "report/form/style.h"
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

}  // namespace plimsoll
