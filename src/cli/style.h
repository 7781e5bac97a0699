// How this command writes for people: what its terminal can show, and whether it wants notes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "report/run/terminal.h"

namespace plimsoll {

/// From --color, the environment (COLUMNS, NO_COLOR, TERM, the locale) and the terminal itself; 80
/// columns wide where neither tells.
Style style_of_stdout(ColorChoice choice);

/// The same for lists: where no width is known, as in a pipe, a row is a line, for grep and others.
Style style_of_lists();

/// The forms of an answer, each made when it is asked for.
struct AnswerForms {
  std::function<std::string()> json;
  std::function<std::string()> verdict;  ///< of --quiet
  std::function<std::string(const Style&)> text;
  std::function<std::string()> charts{};  ///< figures of a page; none: the verb draws none
};

/// The form that is asked for. A Caller gets the verdict beside the JSON, and the
/// charts where it draws.
std::string in_form_asked_for(const ConsoleSpec& console, const AnswerForms& forms);

/// Whether the answer is also wanted as a page: as the file of --html, or by a Caller.
bool wants_page(const ConsoleSpec& console);

/// Hands the page to whoever wants it; nothing where nobody does.
std::vector<SideFile> page_files(const ConsoleSpec& console,
                                 const std::function<std::string()>& page);

/// The same of the page that `text` makes with a style for pages, with the command that repeats it.
std::vector<SideFile> page_of(const Command& command, const std::string& title,
                              const std::function<std::string(const Style&)>& text);

/// On stderr, unless --log says otherwise.
void print_notes(const Options& options, const std::vector<std::string>& notes);

}  // namespace plimsoll
