// What an answer is an answer to: the command line without what only says where the answer goes,
// and a digest that tells one plan from another. Called by plan.cc and forecast.cc.
#pragma once

#include <string>

#include "cli/parse.h"
#include "planner/journal_line.h"
#include "planner/plan_request.h"

namespace plimsoll {

/// The question alone: neither where the answer goes nor how it is computed.
std::string repeating_command(const Command& command);

/// The command with this text on its stdin, as a shell's here-document.
std::string with_input(const std::string& command, const std::string& text);

/// `request_text`: of the file that `request` was read from; empty: made from flags. The digest
/// covers it, flags, the contents of all files that they and the request name, the catalog and the
/// program's version.
JournalHead plan_question(const Command& command, const PlanRequest& request,
                          const std::string& request_text);

}  // namespace plimsoll
