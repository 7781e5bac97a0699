#include "cli/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/glossary.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/topics.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

constexpr std::size_t kHelpColumn = 30;

/// What stands in for a flag under a verb that has defaults of its own.
struct OwnDefault {
  std::string_view verb;
  std::string_view flag;
  const char* text;
};
constexpr OwnDefault kOwnDefaults[]{
    {"plan", "--rate", "none: the most that is held"},
    {"plan", "--num-requests", "as many as an answer takes; all of a specification that ends"},
    {"plan", "--num-instances", "as many as --rate needs, else 1"},
    {"plan", "--tp", "1, 2, 4, 8"},
    {"capacity", "--rate", "none: the most that is held"},
    {"capacity", "--num-requests",
     "as many as an answer takes; all of a trace or of a specification that ends"},
    {"capacity", "--num-instances", "as many as --rate needs, else 1"},
    {"observe", "--num-requests", "none: give it or --horizon"},
};

std::string row(const Flag& flag, const std::string& text) {
  std::string left = "  " + std::string(flag.name);
  if (!flag.placeholder.empty()) left += " " + std::string(flag.placeholder);
  const bool fits = left.size() + 2 <= kHelpColumn;
  return (fits ? "" : left + "\n") + paragraph(fits ? left : "", text, kHelpColumn, kHelpWidth);
}

std::string features_to_come() {
  std::vector<std::string> names;
  for (const LaterFlag& later : later_flags()) {
    if (names.empty() || names.back() != later.feature) names.emplace_back(later.feature);
  }
  return paragraph("", "Not supported yet: " + join(names, ", ") + ".", 0, kHelpWidth);
}

// One line per verb: its name and its question.
std::string verb_rows(const std::vector<const Verb*>& rows) {
  std::size_t width = 0;
  for (const Verb* verb : rows) width = std::max(width, verb->name.size());
  std::string out;
  for (const Verb* verb : rows) {
    std::string left = "  " + std::string(verb->name);
    left.resize(width + 6, ' ');
    out += left + std::string(verb->question) + "\n";
  }
  return out;
}

std::string default_of(const Flag& flag) {
  const Value& value = flag.value;
  return value.default_words.empty() ? value.default_text : value.default_words;
}

// The first clause of the help, with the default.
std::string short_help_of(const Flag& flag) {
  const std::string help(trimmed(flag.help.substr(0, flag.help.find_first_of(";:(,"))));
  const std::string usual = default_of(flag);
  return usual.empty() ? help : help + " [" + usual.substr(0, usual.find(';')) + "]";
}

// A command line, continued on the next one as a shell reads it where it is too long.
std::string command_line(std::string start, std::string_view command) {
  const std::string indent(start.size() + 2, ' ');
  std::string line = std::move(start) + std::string(command);
  if (line.size() <= kHelpWidth) return line + "\n";
  const std::size_t end = line.rfind(" --", kHelpWidth - 2);
  return line.substr(0, end) + " \\\n" + indent + line.substr(end + 1) + "\n";
}

std::string usage(const Verb& verb) {
  std::string out;
  for (const std::string& line : usage_lines(verb)) {
    out += command_line(out.empty() ? "usage: " : "       ", line);
  }
  if (!verb.examples.empty()) out += "\n";
  for (const std::string_view example : verb.examples) out += command_line("  ", example);
  return out;
}

std::string heading_of(const Verb& verb) {
  return "plimsoll " + std::string(verb.name) + ": " + std::string(verb.question) + "\n\n" +
         usage(verb);
}

std::string flag_rows(const Verb& verb) {
  std::string out;
  std::string_view heading;
  for (const Flag& flag : flags()) {
    if (!verb.has(flag.group)) continue;
    if (title(flag.group) != heading) {
      heading = title(flag.group);
      out += "\n" + std::string(heading) + "\n";
    }
    const Flag own = flag_for(verb, flag);
    out += row(own, flag_help(own));
  }
  return out;
}

// Where words that are no verbs are answered: `plimsoll list presets`, `plimsoll explain preset`.
std::string places_of(const std::string& word) {
  std::vector<std::string> places;
  for (const Topic& topic : topics()) {
    const bool is_named = topic.name.find(bare_name(word)) != std::string_view::npos ||
                          name_of_topic(word) == topic.name;
    if (is_named) places.push_back("`plimsoll list " + std::string(topic.name) + "`");
  }
  const auto all = all_definitions();
  if (all && !definitions_of(*all, bare_name(word)).empty())
    places.push_back("`plimsoll explain " + word + "`");
  return join(places, ", ");
}

}  // namespace

std::string_view introduction() {
  return "Plimsoll plans LLM-serving capacity without a GPU: it simulates a vLLM-like cluster "
         "under "
         "your traffic and says what latency, throughput and headroom to expect.";
}

Flag flag_for(const Verb& verb, const Flag& flag) {
  Flag own = flag;
  for (const OwnDefault& row : kOwnDefaults) {
    if (row.verb != verb.name || row.flag != flag.name) continue;
    own.value.default_words = row.text;
  }
  return own;
}

std::string flag_help(const Flag& flag) {
  std::string text = flag.help;
  std::vector<std::string> also;
  std::vector<std::string> opposites;
  for (const Alias& alias : flag.aliases) {
    if (alias.remark.empty()) (alias.opposite ? opposites : also).emplace_back(alias.name);
  }
  if (!also.empty()) text += "; also " + join(also, ", ");
  if (!opposites.empty()) text += "; the opposite of " + join(opposites, ", ");
  if (const std::string usual = default_of(flag); !usual.empty()) text += " [" + usual + "]";
  return text;
}

const std::vector<std::pair<int, std::string>>& exit_codes() {
  static const std::vector<std::pair<int, std::string>> codes{
      {0, "answered (also when the answer is no)"},
      {1,
       "nothing holds at any rate, no deployment of a plan keeps the limits, or with --check the "
       "answer is no or "
       "undecided"},
      {2, "wrong usage or input"},
      {3, "a file or server could not be used, or there was not enough memory"},
      {4, "internal error"},
      {130, "interrupted (partial results are printed)"},
  };
  return codes;
}

std::string overview_help() {
  std::vector<std::string> codes;
  for (const auto& [code, meaning] : exit_codes()) {
    codes.push_back(std::to_string(code) + " " + meaning);
  }
  return paragraph("", std::string(introduction()), 0, kHelpWidth) +
         "\nusage: plimsoll VERB [flags]\n\n" + verb_rows(first_verbs()) +
         "\n  plimsoll VERB -h shows the most used flags of a verb, --help all.\n\n" +
         paragraph("", "Exit codes: " + join(codes, ", ") + ".", 0, kHelpWidth);
}

std::string overview_short_help() {
  constexpr std::string_view kEveryday[]{"run",     "replay",  "capacity", "plan",   "forecast",
                                         "compare", "observe", "serve",    "explain"};
  constexpr std::string_view kExamples[]{"run", "capacity", "plan"};
  std::vector<const Verb*> everyday;
  for (const std::string_view name : kEveryday) everyday.push_back(find_verb(name));
  std::string examples;
  for (const std::string_view name : kExamples)
    examples += command_line("  ", find_verb(name)->examples.front());
  return paragraph("", std::string(introduction()), 0, kHelpWidth) +
         "\nusage: plimsoll VERB [flags]\n\n" + verb_rows(everyday) + "\n" + examples + "\n" +
         paragraph("",
                   "`plimsoll --help` shows all verbs and the exit codes, `plimsoll VERB -h` the "
                   "most used flags of a verb.",
                   0, kHelpWidth);
}

std::string verb_help(const Verb& verb) {
  std::string out = heading_of(verb);
  if (verb.is_family()) out += "\n" + verb_rows(members_of(verb));
  out += flag_rows(verb);
  if (verb.simulates()) out += "\n" + features_to_come();
  return out;
}

std::string verb_short_help(const Verb& verb) {
  if (verb.first_flags.empty()) return verb_help(verb);
  std::string out = heading_of(verb) + "\n";
  std::size_t count = 0;
  for (const Flag& flag : flags()) {
    if (!verb.has(flag.group)) continue;
    ++count;
    if (!contains(verb.first_flags, flag.name)) continue;
    const Flag own = flag_for(verb, flag);
    out += row(own, short_help_of(own));
  }
  return out +
         fmt::format("\nAll {} flags: `plimsoll {} --help`. For one: `plimsoll explain FLAG`.\n",
                     count, verb.name);
}

Result<int> help_verb(const Command& command) {
  if (command.arguments.empty()) return print_result(overview_help());
  const std::string name = join(command.arguments, " ");
  if (const Verb* verb = find_verb(name)) return print_result(verb_help(*verb));
  const std::string places = places_of(command.arguments.back());
  std::string hint = hint_at_name(name, verb_names(), "`plimsoll help` shows all verbs");
  if (!places.empty())
    hint =
        nearest_name(name, verb_names()).empty() ? "see " + places : hint + " See also " + places;
  return fail(ErrorKind::usage, "unknown verb \"" + name + "\"", std::move(hint));
}

}  // namespace plimsoll
