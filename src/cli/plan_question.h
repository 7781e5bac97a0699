// The question behind a plan (cli/question.h), and the files that it comes from.
#pragma once

#include <string>
#include <vector>

#include "cli/question.h"
#include "planner/plan_request.h"
#include "report/plan/plan.h"

namespace plimsoll {

/// Those that decide the answer, with what is in them.
std::vector<FileDigest> files_behind(const Command& command, const PlanRequest& request);

/// `request_text`: of the file that `requests` were read from, several of a fleet; empty: made from
/// flags. The digest covers the contents of all files that they and the flags name, and the
/// config.json of models that are not built in.
JournalHead plan_question(const Command& command, const std::vector<PlanRequest>& requests,
                          const std::string& request_text);

}  // namespace plimsoll
