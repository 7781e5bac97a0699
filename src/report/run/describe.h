// The shape of a workload for people and for programs: what `plimsoll describe` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/workload_shape.h"
#include "report/run/terminal.h"

namespace plimsoll {

/// The notes on what the figures rest on, beside the workload itself.
struct ShapeNotes {
  std::int64_t block_tokens = 16;
  bool prefixes_are_known = true;  ///< else the trace does not record which prompts share a prefix
  std::vector<std::string> assumed;
  std::string next_command;  ///< that serves this workload; may be empty
};

/// One sentence or two in one line, ended by a newline.
std::string shape_verdict(const WorkloadShape& shape, const ShapeNotes& notes);

/// The charts of its page: how much arrives over time, how long prompts and answers are.
std::string shape_figures(const WorkloadShape& shape);

std::string shape_text(const WorkloadShape& shape, const ShapeNotes& notes, const Style& style);

/// Exactly one JSON object, indented by two spaces and ended by a newline. Figures that this
/// workload is too short for are null.
std::string shape_json(const WorkloadShape& shape, const ShapeNotes& notes);

}  // namespace plimsoll
