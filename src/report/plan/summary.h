// The plan as a text to file or to mail, in the sections that capacity planners' summaries have;
// the pieces of it that the summary of several models is made of as well
// (report/plan/fleet_summary.cc).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/plan/plan.h"

namespace plimsoll {

inline constexpr std::size_t kSummaryWidth = 80;

/// `subject`: "Model: qwen/qwen3-14b".
std::string summary_head(const std::string& subject, const std::string& timestamp,
                         const std::string& verdict);
std::string summary_heading(const std::string& title);
/// Nothing without lines.
std::string summary_list(const std::string& title, const std::vector<std::string>& lines);

/// The best: what it is, serves and costs, how it keeps the limits, a cheaper and a larger option.
std::string plan_summary_part(const PlanReport& report);

}  // namespace plimsoll
