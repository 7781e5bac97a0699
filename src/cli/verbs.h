// The verbs as one table of rows. The parser, all help, completion, the man page and the error
// messages read nothing else, so a new verb is one file with its run
// function, declared in run_functions.h, and one row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace plimsoll {

class Json;      // base/json.h
struct Command;  // cli/parse.h

using Words = std::span<const std::string>;

/// The words behind this one are no flags.
inline constexpr std::string_view kEndOfFlags = "--";

/// The words of a verb that belong to no flag.
struct Arguments {
  std::string_view placeholder;  ///< of one, in messages: "FILE"
  std::size_t least = 0;
  std::size_t most = 0;
  /// The words that may stand there, to be checked; none: anything.
  std::vector<std::string> (*choices)() = nullptr;
  /// For completion, where anything may stand; none: names of files.
  std::vector<std::string> (*known_names)() = nullptr;
  bool may_be_flags = false;  ///< flags of other verbs, to ask about them
  /// The flag whose value a word is: "--model" of `run MODEL`, "--workload-spec" where the word
  /// names a file. Empty: it is an argument.
  std::string_view name_flag = {};
  std::string_view file_flag = {};
  /// Where all choices stand, in place of a long list of them in a message.
  std::string_view list = {};
  /// The name among the choices of a word that is none of them; empty: it means nothing.
  std::string_view (*called)(std::string_view word) = nullptr;
};

struct Verb {
  std::string_view name;      ///< one word, or two: "convert azure" belongs to the family "convert"
  std::string_view question;  ///< begins with a small letter
  std::vector<std::string_view> usage;             ///< what may follow the name, one line each
  std::vector<std::string_view> examples = {};     ///< whole command lines, the plainest first
  std::vector<std::string_view> first_flags = {};  ///< those that `-h` shows
  std::vector<FlagGroup> groups = {};
  Arguments arguments = {};
  /// A hint for a flag that people expect and the verb has not, or not with such a value; may be
  /// empty. None: no hints.
  std::string (*place_of)(std::string_view flag) = nullptr;
  /// Prints results on stdout and everything else on stderr; returns the exit code, or the error
  /// that is to be printed. None: a family, which does nothing by itself.
  Result<int> (*run)(const Command&) = nullptr;
  /// Of a verb whose work processes share: what a line of its journals may hold (JournalHead).
  bool (*is_result)(const Json&) = nullptr;

  bool has(FlagGroup group) const;
  /// Its flag of this name or alias; null if it has none.
  const Flag* flag(std::string_view name) const;
  std::string hint_for(std::string_view flag) const;
  /// Flags of features still to come concern it.
  bool simulates() const { return has(FlagGroup::cluster); }
  bool is_family() const { return run == nullptr; }
};

const std::vector<Verb>& verbs();

/// The verb of this name; null when there is none.
const Verb* find_verb(std::string_view name);

std::vector<std::string> verb_names();

/// How the verb may be called: "plimsoll list [TOPIC] [--json]".
std::vector<std::string> usage_lines(const Verb& verb);

/// The verbs of two words that begin with the family's name.
std::vector<const Verb*> members_of(const Verb& family);

/// Those whose names are one word: what the overview lists.
std::vector<const Verb*> first_verbs();

/// The hint at a name that is none of `names`: the nearest one, or where all of them stand.
std::string hint_at_name(std::string_view name, const std::vector<std::string>& names,
                         std::string_view place);

/// The whole command line without the program's name: finds the verb, parses, runs. Returns the
/// exit code.
int run_command_line(Words words);

}  // namespace plimsoll
