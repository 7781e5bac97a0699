#include <algorithm>
#include <filesystem>

#include "validation/case.h"

namespace plimsoll {

namespace fs = std::filesystem;

Result<std::vector<std::string>> find_cases(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return fail(ErrorKind::io, path + ": no such file or folder");
  }
  if (!fs::is_directory(path, error)) {
    return fail(ErrorKind::usage, path + ": this is a file, and a case is a folder",
                "name the folder that its case.yaml is in (docs/reference/measurements.md)");
  }
  if (fs::exists(fs::path(path) / kCaseFile, error)) return std::vector<std::string>{path};
  std::vector<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (fs::exists(entry.path() / kCaseFile, error)) folders.push_back(entry.path().string());
  }
  if (folders.empty()) {
    return fail(ErrorKind::usage, path + ": no case in this folder",
                "a case is a folder with a case.yaml (docs/reference/measurements.md)");
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace plimsoll
