// The shape of a workload as figures of the page of `describe`: how much arrives over time, how
// long prompts and answers are.
#pragma once

#include <string>

#include "metrics/workload_shape.h"

namespace plimsoll {

std::string shape_figures(const WorkloadShape& shape);

}  // namespace plimsoll
