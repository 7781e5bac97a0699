#include "cli/file_clashes.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/replacement_file.h"
#include "cli/flags.h"

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
    if (std::ranges::count(kOutputs, flag.name) == 0) add_files_of(flag, command, &files);
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

}  // namespace

Result<void> claim_outputs(const Command& command) {
  const std::vector<NamedFile> outputs = outputs_of(command);
  TRY_TO(check_clashes(outputs, inputs_of(command)));
  for (const NamedFile& output : outputs) {
    if (is_replaced(output)) TRY_TO(check_replaceable(output.path));
  }
  return {};
}

}  // namespace plimsoll
