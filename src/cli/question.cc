#include "cli/question.h"

#include <array>
#include <cstdint>
#include <cstdio>
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

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// Flags that change nothing of the answer.
bool is_of_output(const Flag& flag) {
  constexpr std::string_view kOutputs[]{"--summary", "--emit", "--no-timing", "--output-dir",
                                        "--diff"};
  return contains(kOutputs, flag.name);
}

// The texts of a flag that decides the answer; none if it does not, or was not given.
std::vector<std::string> deciding(const Command& command, const Flag& flag) {
  const bool of_answer = !decides_nothing(flag.group) || flag.group == FlagGroup::model_error ||
                         flag.group == FlagGroup::step_parts;
  const bool decides = command.verb.has(flag.group) && of_answer && !is_of_output(flag);
  if (!decides || flag.value.origin(command.options) != Origin::asked) return {};
  return flag.value.texts(command.options);
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
    const auto file = open_file(path);
    if (!file) return add("absent: " + path);
    std::array<char, 1 << 16> bytes;
    for (std::size_t n = 1; n > 0;) {
      n = std::fread(bytes.data(), 1, bytes.size(), file->get());
      for (std::size_t i = 0; i < n; ++i) step(static_cast<unsigned char>(bytes[i]));
    }
    step(kEnd);
  }
  void step(std::uint64_t c) {
    a_ = (a_ ^ c) * 0x100000001b3ULL;  // FNV-1a
    b_ = mix64(b_ + c);
  }

  std::uint64_t a_ = 0xcbf29ce484222325ULL;
  std::uint64_t b_ = 0;
};

}  // namespace

std::string repeating_command(const Command& command) {
  std::string text = "plimsoll " + std::string(command.verb.name);
  for (const std::string& argument : command.arguments) text += " " + shell_quoted(argument);
  return text + typed_flags(command.options,
                            [&](const Flag& flag) { return !deciding(command, flag).empty(); });
}

std::vector<std::string> repeating_words(const Command& command) {
  std::vector<std::string> words = command.arguments;
  for (std::string& word : flag_words(
           command.options, [&](const Flag& flag) { return !deciding(command, flag).empty(); })) {
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

std::vector<std::string> deciding_files(const Command& command) {
  std::vector<std::string> paths;
  for (const Flag& flag : flags()) {
    if (!flag.takes_path()) continue;
    for (const std::string& path : deciding(command, flag)) add_once(&paths, path);
  }
  return paths;
}

std::vector<std::string> cached_configs(const std::vector<std::string>& models) {
  std::vector<std::string> paths;
  for (const std::string& id : models) {
    if (!is_hub_id(id) || find_model(id)) continue;
    if (auto path = cached_config(id)) paths.push_back(std::move(*path));
  }
  return paths;
}

std::string digest_of_file(const std::string& path) {
  Digest digest;
  digest.add_file(path);
  return digest.text();
}

JournalHead question_of(const Command& command, const std::vector<std::string>& texts,
                        const std::vector<std::string>& files) {
  Digest digest;
  digest.add(version());
  digest.add(build_id());
  digest.add(command.verb.name);
  for (const EmbeddedFile& file : catalog_files()) digest.add(file.text);
  for (const std::string& text : texts) digest.add(text);
  for (const Flag& flag : flags()) {
    for (const std::string& text : deciding(command, flag)) {
      digest.add(flag.name);
      if (!flag.takes_path()) digest.add(text);
    }
  }
  for (const std::string& path : files) digest.add_file(path);
  return {digest.text(), repeating_command(command), command.verb.is_result};
}

}  // namespace plimsoll
