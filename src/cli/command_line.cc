#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "base/command_files.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/embedded.h"
#include "cli/caller.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/file_clashes.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/verbs.h"

namespace plimsoll {
namespace {

bool is_help(std::string_view word) { return word == "--help" || word == "-h"; }

/// What other tools call a question, and what asks it here.
constexpr std::pair<std::string_view, std::string_view> kVerbsOfOthers[]{
    {"sweep", "plimsoll compare --vary FLAG=A,B"},
    {"simulate", "plimsoll run"},
    {"optimize", "plimsoll plan"},
    {"benchmark", "plimsoll observe"},
    {"bench", "plimsoll observe"},
};

tl::unexpected<Error> unknown_verb(const std::string& name) {
  if (name.starts_with("-")) {
    const auto has_it = [&](const Flag& flag) { return flag.is_called(name); };
    return fail(ErrorKind::usage,
                std::ranges::any_of(flags(), has_it) ? name + " must follow a verb"
                                                     : "unknown option " + name,
                "usage: plimsoll VERB [flags]; `plimsoll --help` shows the verbs, "
                "`plimsoll --version` the version");
  }
  for (const auto& [word, command] : kVerbsOfOthers) {
    if (word != name) continue;
    return fail(ErrorKind::usage, "unknown verb \"" + name + "\"",
                "did you mean `" + std::string(command) + "`?");
  }
  std::vector<std::string> names;
  for (const Verb* verb : first_verbs()) names.emplace_back(verb->name);
  names.insert(names.end(), {"--help", "--version"});
  return fail(ErrorKind::usage, "unknown verb \"" + name + "\"",
              hint_at_name(name, names, "`plimsoll --help` shows all verbs"));
}

// A family's name was followed by none of its members.
tl::unexpected<Error> unknown_member(const Verb& family, Words rest) {
  std::vector<std::string> names;
  const std::size_t start = family.name.size() + 1;
  for (const Verb* member : members_of(family)) names.emplace_back(member->name.substr(start));
  const std::string name(family.name);
  if (rest.empty()) {
    return fail(ErrorKind::usage, name + " needs a subcommand", "one of: " + join(names, ", "));
  }
  return fail(ErrorKind::usage, "`plimsoll " + name + "` has no \"" + rest[0] + "\"",
              suggestion(rest[0], names));
}

// Once: the catalog of a program's later runs is that of its first.
const Result<std::vector<std::string>>& own_catalog_files() {
  static const Result<std::vector<std::string>> files = [] {
    const char* folder = std::getenv("PLIMSOLL_CATALOG");
    return folder != nullptr && *folder != '\0' ? use_catalog_folder(folder)
                                                : Result<std::vector<std::string>>();
  }();
  return files;
}

Result<int> run_one(const Verb& verb, Words words) {
  TRY(own, Result<std::vector<std::string>>(own_catalog_files()));
  if (!own.empty()) {
    print_error("note: " + join(own, ", ") + " of PLIMSOLL_CATALOG, not of the built-in catalog\n");
  }
  const Caller* caller = current_caller();
  CommandFiles files(caller == nullptr ? nullptr : &caller->files,
                     caller != nullptr && caller->sealed);
  const CommandFiles::Binding binding(&files);
  TRY(command, parse_command(verb, words));
  TRY_TO(claim_outputs(command));
  return verb.run(command);
}

Result<int> answer(Words words) {
  if (!words.empty() && words[0] == kEndOfFlags) words = words.subspan(1);
  if (words.empty()) {
    print_error(overview_help());
    return 2;
  }
  if (is_help(words[0])) return print_result(overview_help());
  if (words[0] == "--version") return run_one(*find_verb("version"), {});
  if (words[0] == "--complete") return print_result(completion_lines(complete(words.subspan(1))));

  const Verb* verb = find_verb(words[0]);
  if (verb == nullptr) return unknown_verb(words[0]);
  Words rest = words.subspan(1);
  const Words options(rest.begin(), std::ranges::find(rest, kEndOfFlags));
  if (verb->is_family() && !rest.empty()) {
    if (const Verb* member = find_verb(words[0] + " " + rest[0]); member != nullptr) {
      verb = member;
      rest = rest.subspan(1);
    }
  }
  if (std::ranges::count(options, "--help") > 0) return print_result(verb_help(*verb));
  if (std::ranges::count(options, "-h") > 0) return print_result(verb_short_help(*verb));
  return verb->is_family() ? unknown_member(*verb, rest) : run_one(*verb, rest);
}

}  // namespace

int run_command_line(Words words) {
  try {
    const auto code = answer(words);
    return code ? *code : report(code.error());
  } catch (const OutOfMemory& e) {
    return report(out_of_memory(e.what()));
  } catch (const std::bad_alloc&) {
    return report(out_of_memory("`plimsoll " + (words.empty() ? std::string() : words[0]) + "`"));
  } catch (const std::exception& e) {
    print_error("internal error: " + std::string(e.what()) +
                "\nPlease report it with the command line that caused it.\n");
  }
  return 4;
}

}  // namespace plimsoll
