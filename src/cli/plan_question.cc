#include "cli/plan_question.h"

#include <cstdint>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/quoting.h"
#include "catalog/catalog.h"
#include "catalog/embedded.h"
#include "cli/typed_flags.h"
#include "cli/version.h"
#include "setup/hub.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// Flags that change nothing of the answer.
bool is_of_output(const Flag& flag) {
  constexpr std::string_view kOutputs[]{"--summary",   "--journal",    "--resume",     "--emit",
                                        "--no-timing", "--output-dir", "--diff",       "--executor",
                                        "--shards",    "--no-wait",    "--sbatch-args"};
  return contains(kOutputs, flag.name);
}

// The text of a flag that decides the answer; none if it does not, or was not given.
std::optional<std::string> deciding(const Command& command, const Flag& flag) {
  const bool of_answer = !decides_nothing(flag.group) || flag.group == FlagGroup::model_error;
  const bool decides = command.verb.has(flag.group) && of_answer &&
                       flag.group != FlagGroup::threads && !is_of_output(flag);
  if (!decides || flag.value.origin(command.options) != Origin::asked) return {};
  return flag.value.texts(command.options).back();
}

class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(kEnd);
  }
  /// What is in it; of a folder the files that say what it is, not the weights beside them.
  void add_file(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return add_content(path);
    for (const char* name : {"config.json", "fitted_profile.json", "metadata.json"}) {
      add_content((fs::path(path) / name).string());
    }
  }
  std::string text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

 private:
  static constexpr std::uint64_t kEnd = 256;

  void add_content(const std::string& path) {
    auto content = read_file(path);
    add(content ? *content : "absent: " + path);
  }
  void step(std::uint64_t c) {
    a_ = (a_ ^ c) * 0x100000001b3ULL;  // FNV-1a
    b_ = mix64(b_ + c);
  }

  std::uint64_t a_ = 0xcbf29ce484222325ULL;
  std::uint64_t b_ = 0;
};

// Files that decide the answer, each once: of flags, of the request, and those that a specification
// of the traffic names in turn.
std::vector<std::string> paths_of(const Command& command, const PlanRequest& request) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (!path.empty()) add_once(&paths, path);
  };
  for (const Flag& flag : flags()) {
    const auto given = deciding(command, flag);
    if (given && flag.takes_path()) add(*given);
  }
  for (const std::string& path : {request.profile, request.telemetry, request.calibration,
                                  request.workload_spec, request.economics.price_file}) {
    add(path);
  }
  for (const std::string& spec :
       {request.workload_spec, command.options.run.traffic.workload_spec}) {
    if (spec.empty()) continue;
    for (const std::string& path : files_named_by_workload_spec(spec)) add(path);
  }
  return paths;
}

// The config.json of models that the catalog does not have, in caches of this machine.
std::vector<std::string> cached_models_of(const Command& command, const PlanRequest& request) {
  std::vector<std::string> paths;
  for (const std::string& id : {request.model, command.options.run.speculation.draft_model}) {
    if (!is_hub_id(id) || find_model(id)) continue;
    if (auto path = cached_config(id)) paths.push_back(std::move(*path));
  }
  return paths;
}

}  // namespace

std::string repeating_command(const Command& command) {
  std::string text = "plimsoll " + std::string(command.verb.name);
  for (const std::string& argument : command.arguments) text += " " + shell_quoted(argument);
  return text + typed_flags(command.options,
                            [&](const Flag& flag) { return deciding(command, flag).has_value(); });
}

std::vector<std::string> repeating_words(const Command& command) {
  std::vector<std::string> words = command.arguments;
  for (std::string& word : flag_words(command.options, [&](const Flag& flag) {
         return deciding(command, flag).has_value();
       })) {
    words.push_back(std::move(word));
  }
  return words;
}

std::string with_input(const std::string& command, const std::string& text) {
  const std::string lines = "\n" + text + (text.ends_with('\n') ? "" : "\n");
  std::string end = "END";
  while (lines.find("\n" + end + "\n") != std::string::npos) end += "_";
  return command + " <<'" + end + "'" + lines + end;
}

std::vector<FileDigest> files_behind(const Command& command, const PlanRequest& request) {
  constexpr std::size_t kShown = 16;
  std::vector<FileDigest> files;
  for (const std::string& path : paths_of(command, request)) {
    Digest digest;
    digest.add_file(path);
    files.push_back({path, digest.text().substr(0, kShown)});
  }
  return files;
}

JournalHead plan_question(const Command& command, const std::vector<PlanRequest>& requests,
                          const std::string& request_text) {
  Digest digest;
  digest.add(version());
  digest.add(build_id());
  for (const EmbeddedFile& file : catalog_files()) digest.add(file.text);
  if (!command.arguments.empty()) digest.add(request_text);
  for (const Flag& flag : flags()) {
    const auto given = deciding(command, flag);
    if (!given) continue;
    digest.add(flag.name);
    if (!flag.takes_path()) digest.add(*given);
  }
  for (const PlanRequest& request : requests) {
    for (const std::string& path : paths_of(command, request)) digest.add_file(path);
    for (const std::string& path : cached_models_of(command, request)) digest.add_file(path);
  }
  return {digest.text(), repeating_command(command)};
}

}  // namespace plimsoll
