// The one place where text leaves for a terminal: keys are hidden there (base/redaction.h), and
// what is not printable is escaped (base/printable.h). The streams of the program: stdout carries
// results and nothing else, stderr everything else; stdin is read where a verb is asked to. With a
// Caller (caller.h) they are its texts instead. Used by the thread that runs the verb.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll {

/// Writes all of `text` to stdout; returns the exit code: 0, or 3 when it could not be written
/// (which is then reported). A reader that has seen enough and closed the pipe is no error.
int print_result(std::string_view text);

/// Whole lines, those that are longer wrapped to so many columns at their indentation; 0: as it is.
std::string within(const std::string& text, std::size_t columns);

/// Of the terminal that a descriptor stands for; none: it is no terminal, or does not say.
std::optional<int> terminal_columns(int fd);

/// Writes whole lines to stderr, within the width of a terminal; failures are ignored, there is
/// nowhere to report them.
void print_error(std::string_view text);

/// The same for a line of progress, with control sequences around it that are as they are.
void print_progress(std::string_view before, std::string_view text, std::string_view after);

/// The name of stdin in messages.
inline constexpr std::string_view kStandardInput = "standard input";

/// All of stdin.
Result<std::string> read_input();

/// Prints the error and returns its exit code.
int report(const Error& error);

// How every verb that writes files ends: the answer goes to stdout first, then the files beside it,
// each whatever became of the others, then the errors. A disk that is full takes no answer with it.

/// Writes a file, and what else is to be done once the answer has been printed.
using SideFile = std::function<Result<void>()>;

/// Returns the exit code: of the first failure, else `exit_code`.
int hand_over(std::string_view answer, const std::vector<SideFile>& files, int exit_code = 0);

/// A file of text that is made when it is written.
SideFile side_file(const std::string& path, std::function<std::string()> text);

}  // namespace plimsoll
