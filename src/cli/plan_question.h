// The question behind an answer: the command line without what only says where the answer goes, and
// a digest that tells one plan from another.
#pragma once

#include <string>
#include <vector>

#include "cli/parse.h"
#include "planner/journal_line.h"
#include "planner/plan_request.h"
#include "report/plan/plan.h"

namespace plimsoll {

/// The question alone: neither where the answer goes nor how it is computed.
std::string repeating_command(const Command& command);

/// The same as the words after the verb.
std::vector<std::string> repeating_words(const Command& command);

/// The command with this text on its stdin, as a shell's here-document.
std::string with_input(const std::string& command, const std::string& text);

/// Those that decide the answer, with what is in them.
std::vector<FileDigest> files_behind(const Command& command, const PlanRequest& request);

/// `request_text`: of the file that `requests` were read from, several of a fleet; empty: made from
/// flags. The digest covers it, flags, the contents of all files that they and the requests name,
/// the config.json of models that are not built in, the catalog and the program.
JournalHead plan_question(const Command& command, const std::vector<PlanRequest>& requests,
                          const std::string& request_text);

}  // namespace plimsoll
