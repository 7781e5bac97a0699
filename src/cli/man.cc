// `plimsoll man`: the manual page in roff's man macros (man(7)), from the tables of verbs and
// flags; on a terminal as man(1) shows it.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/version.h"

namespace plimsoll {
namespace {

constexpr std::pair<const char*, const char*> kEnvironment[]{
    {"NO_COLOR", "When set, no colour unless --color always."},
    {"COLUMNS", "Width of the text; without it that of the terminal, else 100."},
    {"LC_ALL, LC_CTYPE, LANG", "Bars are drawn in UTF-8 when the first that is set names it."},
    {"TERM", "No colour on a terminal that is dumb."},
};

// A line of text: hyphens that can be copied, nothing that roff takes for a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string line(std::string_view text) { return roff(text) + "\n"; }

std::string section(std::string_view name) { return ".SH " + std::string(name) + "\n"; }

std::string subsection(std::string_view name) { return ".SS \"" + roff(name) + "\"\n"; }

std::string tagged(std::string_view tag, std::string_view text) {
  return ".TP\n.B " + line(tag) + line(text);
}

// Command lines stand as they are typed.
std::string verbatim(const std::vector<std::string>& lines) {
  std::string out = ".PP\n.nf\n.RS 4\n";
  for (const std::string& command : lines) out += line(command);
  return out + ".RE\n.fi\n";
}

std::string verb_section(const Verb& verb) {
  std::string out = subsection(verb.name) + line(capitalised(std::string(verb.question)));
  out += verbatim(usage_lines(verb));
  const std::vector<std::string> examples(verb.examples.begin(), verb.examples.end());
  if (!examples.empty()) out += ".PP\nFor example:\n" + verbatim(examples);
  return out;
}

std::string flag_entry(const Flag& flag) {
  std::string out = ".TP\n.B " + roff(flag.name);
  if (!flag.placeholder.empty()) out += "\\fR \\fI" + roff(flag.placeholder);
  return out + "\n" + line(flag_help(flag));
}

std::string flag_sections() {
  std::string out;
  const FlagGroup* group = nullptr;
  for (const Flag& flag : flags()) {
    if (group == nullptr || *group != flag.group) {
      group = &flag.group;
      std::vector<std::string> names;
      for (const Verb& verb : verbs()) {
        if (verb.has(flag.group)) names.emplace_back(verb.name);
      }
      out += subsection(std::string(title(flag.group)) + " (" + join(names, ", ") + ")");
    }
    out += flag_entry(flag);
  }
  return out;
}

std::string man_page() {
  std::string out = ".TH PLIMSOLL 1 \"\" \"plimsoll " + roff(version()) + "\" \"User Commands\"\n";
  out += section("NAME") + "plimsoll \\- plan LLM\\-serving capacity without a GPU\n";
  out += section("SYNOPSIS") + ".B plimsoll\n.I verb\n[\\fIflags\\fR]\n";
  out += section("DESCRIPTION") + line(introduction());
  out += section("VERBS");
  for (const Verb& verb : verbs()) out += verb_section(verb);
  out += section("FLAGS") + line("A value follows its flag after a space or an equals sign.");
  out += flag_sections();
  out += section("EXIT STATUS");
  for (const auto& [code, meaning] : exit_codes()) out += tagged(std::to_string(code), meaning);
  out += section("ENVIRONMENT");
  for (const auto& [name, effect] : kEnvironment) out += tagged(name, effect);
  return out;
}

}  // namespace

Result<int> man_verb(const Command&) {
  if (isatty(STDOUT_FILENO) != 1) return print_result(man_page());
  if (FILE* reader = popen("man -l - 2>/dev/null", "w")) {
    std::fputs(man_page().c_str(), reader);
    if (pclose(reader) == 0) return 0;
  }
  print_error("note: man(1) cannot show the page here, so this is the help\n");
  return print_result(overview_help());
}

}  // namespace plimsoll
