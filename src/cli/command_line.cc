#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "base/command_files.h"
#include "base/lists.h"
#include "base/memory.h"
#include "base/replacement_file.h"
#include "base/result.h"
#include "base/text.h"
#include "catalog/embedded.h"
#include "cli/caller.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/verbs.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string by;  // the flag or verb that names it
  std::string path;
};

// Every other flag that takes a path is read.
constexpr std::string_view kOutputs[]{"--results-path", "--metrics-path",     "--saturation-report",
                                      "--timeline",     "--decisions-output", "--html",
                                      "--summary",      "--journal",          "--resume",
                                      "--trace-output", "--output",           "--output-dir"};

void add_files_of(const Flag& flag, const Command& command, std::vector<NamedFile>* files) {
  if (!command.verb.has(flag.group) || !flag.takes_path() ||
      flag.value.origin(command.options) != Origin::asked) {
    return;
  }
  for (const std::string& path : flag.value.texts(command.options)) {
    const bool is_prefix = flag.placeholder == "PREFIX";
    files->push_back({std::string(flag.name), is_prefix ? path + ".csv" : path});
    if (is_prefix) files->push_back({std::string(flag.name), path + ".yaml"});
  }
}

std::vector<NamedFile> outputs_of(const Command& command) {
  std::vector<NamedFile> files;
  for (const std::string_view name : kOutputs) {
    for (const Flag& flag : flags()) {
      if (flag.name == name) add_files_of(flag, command, &files);
    }
  }
  return files;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(a, ignored), ignored);
  return canonical == fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

// The files that the command line itself names.
std::vector<NamedFile> inputs_of(const Command& command) {
  std::vector<NamedFile> files;
  for (const Flag& flag : flags()) {
    if (!contains(kOutputs, flag.name)) add_files_of(flag, command, &files);
  }
  for (const std::string& file : command.arguments) {
    files.push_back({std::string(command.verb.name), file});
  }
  return files;
}

Result<void> check_clashes(const std::vector<NamedFile>& outputs,
                           const std::vector<NamedFile>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    for (const NamedFile& input : inputs) {
      if (input.path.empty() || !is_same_file(output.path, input.path)) continue;
      return fail(ErrorKind::usage,
                  output.by + " would overwrite " + input.path + ", which " + input.by + " reads",
                  "give another name");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(output.path, outputs[j].path)) continue;
      return fail(ErrorKind::usage,
                  outputs[j].by + " and " + output.by + " would both write " + output.path);
    }
  }
  return {};
}

// A journal goes on in its file and locks it itself; a folder stands for files still to be named.
bool is_replaced(const NamedFile& output) {
  return output.by != "--journal" && output.by != "--resume" && output.by != "--output-dir";
}

// Called once for every verb, before anything is read: an error that names both flags if an output
// of the command line is one of its inputs or another output, under whatever name (devices such as
// /dev/null may be written as often as one likes), and what check_replaceable() says. From then on
// the outputs are held, and inputs that other inputs name are held to them
// (base/command_files.h).
Result<void> claim_outputs(const Command& command) {
  const std::vector<NamedFile> outputs = outputs_of(command);
  TRY_TO(check_clashes(outputs, inputs_of(command)));
  for (const NamedFile& output : outputs) {
    if (is_replaced(output)) TRY_TO(check_replaceable(output.path));
  }
  return {};
}

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
    print_error(overview_short_help());
    return 2;
  }
  if (words[0] == "--help") return print_result(overview_help());
  if (words[0] == "-h") return print_result(overview_short_help());
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
  if (contains(options, "--help")) return print_result(verb_help(*verb));
  if (contains(options, "-h")) return print_result(verb_short_help(*verb));
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
