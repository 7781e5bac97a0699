// Another program in the place of a shell: it has a command line answered in its own process, gets
// the streams as text, hears of progress, and stops the work as Ctrl-C would. Any number of
// threads may do so at the same time, each with a Caller of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verbs.h"
#include "serve/api_verb.h"

namespace plimsoll {

/// Its `on_progress` gets progress_json() (cli/progress.h).
struct Caller : ApiListener {
  std::string input;  ///< what a shell would send to stdin
  /// Texts in the place of files, by their names (base/command_files.h).
  std::map<std::string, std::string> files;
  /// The command is a stranger's: it has those files alone, and no network.
  bool sealed = false;
  std::string results;               ///< what a shell would get on stdout
  std::string messages;              ///< and on stderr
  std::vector<Diagnostic> problems;  ///< the errors among them, in parts
  std::string headline;              ///< the verdict, as --quiet prints it
  std::string charts;                ///< as figures of a page (markup), where the verb draws any
  std::string page;                  ///< the answer as --html writes it, of verbs that have that
};

/// run_command_line() for a program. Signals are left alone.
int run_command_line(Words words, Caller& caller);

/// The caller of the command line that this thread runs; null: a shell.
Caller* current_caller();

}  // namespace plimsoll
