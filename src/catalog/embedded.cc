#include "catalog/embedded.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "base/file.h"
#include "base/lists.h"
#include "base/printable.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".yaml";
constexpr const char* kLayout =
    "PLIMSOLL_CATALOG names a folder of gpus/NAME.yaml, kernels/NAME.yaml, models/OWNER/NAME.yaml "
    "and, at its top, files that the project's catalog/ has there";

struct Catalog {
  std::vector<EmbeddedFile> files = embedded_catalog();
  std::map<std::string, std::string> own;                    ///< texts of the user's files, by path
  std::string folder;                                        ///< of the user's files
  std::map<std::string, SpecFile, std::less<>> parsed = {};  ///< as they are asked for
  std::int64_t edition = 0;
};

// A plan asks for the same files with each candidate; setups may be made on several threads.
std::mutex& parsing() {
  static std::mutex instance;
  return instance;
}

Catalog& catalog() {
  static Catalog instance;
  return instance;
}

const EmbeddedFile* find(std::string_view path) {
  return find_in(catalog_files(), path, &EmbeddedFile::path);
}

// Paths below the folder, sorted.
Result<std::vector<std::string>> yaml_files(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().lexically_relative(folder).generic_string();
    if (path.ends_with(kExtension)) paths.push_back(path);
  }
  if (error) return fail(ErrorKind::io, "cannot read " + folder + ": " + error.message(), kLayout);
  if (paths.empty()) return fail(ErrorKind::io, folder + " has no YAML file", kLayout);
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Built in, or named by what names models, GPUs and kernels.
bool is_read(const std::string& path) {
  const bool named =
      path.starts_with("models/") || path.starts_with("gpus/") || path.starts_with("kernels/");
  return named || is_embedded(path);
}

}  // namespace

const std::vector<EmbeddedFile>& catalog_files() { return catalog().files; }

Result<std::vector<std::string>> use_catalog_folder(const std::string& folder) {
  TRY(paths, yaml_files(folder));
  Catalog changed;
  changed.folder = folder;
  changed.edition = catalog().edition + 1;
  for (const std::string& path : paths) {
    if (const std::string fault = fault_of_name(path); !fault.empty()) {
      return fail(ErrorKind::usage, folder + ": the name of " + path + " " + fault, kOneLine);
    }
    if (!is_read(path)) {
      return fail(ErrorKind::usage, folder + ": nothing would read " + path, kLayout);
    }
    TRY(text, read_file((fs::path(folder) / path).string()));
    changed.own.emplace(path, std::move(text));
  }
  catalog() = std::move(changed);  // what it owns stays where it is
  std::vector<EmbeddedFile>& files = catalog().files;
  for (const auto& [path, text] : catalog().own) {
    const std::string_view own_path = path;
    std::erase_if(files, [own_path](const EmbeddedFile& file) { return file.path == own_path; });
    files.push_back({own_path, text});
  }
  std::sort(files.begin(), files.end(),
            [](const EmbeddedFile& a, const EmbeddedFile& b) { return a.path < b.path; });
  return paths;
}

std::int64_t catalog_edition() { return catalog().edition; }

std::vector<std::string> embedded_names(std::string_view folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : catalog_files()) {
    if (!file.path.starts_with(folder)) continue;
    const std::string_view name = file.path.substr(folder.size());
    names.emplace_back(name.substr(0, name.size() - kExtension.size()));
  }
  std::sort(names.begin(), names.end());  // paths sort otherwise: their extension takes part
  return names;
}

std::string embedded_path(std::string_view folder, std::string_view name) {
  return std::string(folder) + std::string(name) + std::string(kExtension);
}

bool is_embedded(std::string_view path) { return find(path) != nullptr; }

Result<SpecFile> open_embedded(std::string_view path) {
  const EmbeddedFile* file = find(path);
  if (file == nullptr) {
    return fail(ErrorKind::internal, "no file catalog/" + std::string(path) + " is built in");
  }
  const std::lock_guard lock(parsing());
  auto known = catalog().parsed.find(path);
  if (known == catalog().parsed.end()) {
    const bool is_own = catalog().own.count(std::string(path)) > 0;
    const std::string folder = is_own ? catalog().folder : "catalog";
    TRY(fresh, SpecFile::parse(std::string(file->text), folder + "/" + std::string(path)));
    known = catalog().parsed.emplace(path, std::move(fresh)).first;
  }
  return known->second.unread();
}

}  // namespace plimsoll
