// Another program in the place of a shell: it has a command line answered in its own process, gets
// the streams as text, hears of progress, and stops the work as Ctrl-C would. Any number of
// threads may do so at the same time, each with a Caller of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/verbs.h"

namespace plimsoll {

struct Caller {
  std::string input;  ///< what a shell would send to stdin
  /// Texts in the place of files, by their names (base/command_files.h).
  std::map<std::string, std::string> files;
  /// The command is a stranger's: it has those files alone, and no network.
  bool sealed = false;
  std::string results;               ///< what a shell would get on stdout
  std::string messages;              ///< and on stderr
  std::vector<Diagnostic> problems;  ///< the errors among them, in parts
  /// Asked often, on any thread of the command, whether it is enough; none: never.
  std::function<bool()> stopped;
  std::string headline;  ///< the verdict, as --quiet prints it
  bool draws = false;    ///< wants charts, too, on the way and of the answer
  std::string charts;    ///< as figures of a page (markup), where the verb draws any
  bool wants_page = false;
  std::string page;  ///< the answer as --html writes it, of verbs that have that
  /// Gets progress_json() (cli/progress.h), now and then, on any thread of the command; none:
  /// nobody looks.
  std::function<void(const Json&)> on_progress;
};

/// run_command_line() for a program. Signals are left alone.
int run_command_line(Words words, Caller& caller);

/// The caller of the command line that this thread runs; null: a shell.
Caller* current_caller();

}  // namespace plimsoll
