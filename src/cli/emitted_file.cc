#include "cli/emitted_file.h"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/replacement_file.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "Written by plimsoll --emit; checksum ";
constexpr std::string_view kEndOfObject = "\n}\n";

bool is_json(std::string_view text) {
  return text.starts_with('{') && text.ends_with(kEndOfObject);
}

// What was marked, if it was.
std::string without_mark(const std::string& content) {
  const std::size_t mark = content.rfind(kMark);
  if (mark == std::string::npos) return {};
  if (!is_json(content)) return content.substr(0, content.rfind('\n', mark) + 1);
  return content.substr(0, content.rfind(",\n", mark)) + std::string(kEndOfObject);
}

// `text` ends in a newline; the mark is a comment of shells and of YAML, or the last member of a
// JSON object.
std::string marked_as_emitted(std::string_view text) {
  const std::string mark = fmt::format("{}{:08x}", kMark, crc32_of(text));
  if (!is_json(text)) return fmt::format("{}# {}\n", text, mark);
  return fmt::format("{},\n  \"//\": \"{}\"{}", text.substr(0, text.size() - kEndOfObject.size()),
                     mark, kEndOfObject);
}

// A usage error where a file of this name is there and is not as it was emitted; else, what
// check_replaceable() says.
Result<void> check_emitted(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0) {
    const auto content = read_output(path);
    const bool is_ours = content && *content == marked_as_emitted(without_mark(*content));
    if (!is_ours) {
      return fail(ErrorKind::usage, "--emit would overwrite " + path + ", which it did not write",
                  "it was not written by --emit, or was changed since: give another folder with "
                  "--output-dir, or move the file");
    }
  }
  return check_replaceable(path);
}

}  // namespace

Result<void> check_emission(const PlanFiles& asked, const std::string& example,
                            const std::vector<std::string>& folders,
                            const std::vector<DeploymentFile>& files) {
  if (asked.emit.empty() && asked.output_dir.empty()) return {};
  if (asked.emit.empty() || asked.output_dir.empty()) {
    return fail(ErrorKind::usage, "--emit says what to write and --output-dir where",
                fmt::format("give both: --emit {} --output-dir deploy", example));
  }
  std::error_code failure;
  if (fs::exists(asked.output_dir, failure) && !fs::is_directory(asked.output_dir, failure))
    return fail(ErrorKind::usage, "--output-dir " + asked.output_dir + " is not a folder");
  for (const std::string& folder : folders) {
    if (!fs::exists(folder, failure)) continue;
    for (const DeploymentFile& file : files)
      TRY_TO(check_emitted((fs::path(folder) / file.name).string()));
  }
  return {};
}

Result<std::vector<std::string>> write_emitted(const std::string& folder,
                                               const std::vector<DeploymentFile>& files) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return fail(ErrorKind::io, "cannot make the folder " + folder + ": " + failure.message());
  std::vector<std::string> paths;
  for (const DeploymentFile& file : files) {
    paths.push_back((fs::path(folder) / file.name).string());
    TRY_TO(replace_file(paths.back(), marked_as_emitted(file.text)));
  }
  return paths;
}

}  // namespace plimsoll
