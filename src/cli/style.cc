#include "cli/style.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "cli/caller.h"
#include "cli/console.h"
#include "cli/question.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = to_lower(environment(name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int width_or(int otherwise) {
  long long columns = 0;
  if (parse_int(environment("COLUMNS"), &columns) && columns > 0) {
    return static_cast<int>(std::min(columns, 1000LL));
  }
  return terminal_columns(STDOUT_FILENO).value_or(otherwise);
}

Style style_with(ColorChoice choice, int otherwise) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  Style style;
  style.width = width_or(otherwise);
  style.utf8 = locale_is_utf8();
  style.color = choice == ColorChoice::always ||
                (choice == ColorChoice::automatic && terminal && environment("NO_COLOR").empty() &&
                 environment("TERM") != "dumb");
  return style;
}

}  // namespace

Style style_of_stdout(ColorChoice choice) { return style_with(choice, Style{}.width); }

Style style_of_lists() { return style_with(ColorChoice::automatic, 100'000); }

bool wants_page(const ConsoleSpec& console) {
  const Caller* caller = current_caller();
  return !console.page.empty() || (caller != nullptr && caller->wants_page);
}

std::vector<SideFile> page_files(const ConsoleSpec& console,
                                 const std::function<std::string()>& page) {
  std::vector<SideFile> files;
  if (!console.page.empty()) files.push_back(side_file(console.page, page));
  if (Caller* caller = current_caller(); caller != nullptr && caller->wants_page) {
    files.push_back([caller, page]() -> Result<void> {
      caller->page = page();
      return {};
    });
  }
  return files;
}

std::vector<SideFile> page_of(const Command& command, const std::string& title,
                              const std::function<std::string(const Style&)>& text) {
  return page_files(command.options.console, [=, &command] {
    Style style;
    style.markup = true;
    return report_page(command.verb.name, title, text(style), repeating_command(command));
  });
}

void print_notes(const Options& options, const std::vector<std::string>& notes) {
  if (options.console.log == LogLevel::error) return;
  for (const std::string& note : notes) print_error("note: " + note + "\n");
}

std::string in_form_asked_for(const ConsoleSpec& console, const AnswerForms& forms) {
  if (!console.json)
    return console.quiet ? forms.verdict() : forms.text(style_of_stdout(console.color));
  if (Caller* caller = current_caller()) {
    caller->headline = forms.verdict();
    if (caller->draws && forms.charts) caller->charts = forms.charts();
  }
  return forms.json();
}

}  // namespace plimsoll
