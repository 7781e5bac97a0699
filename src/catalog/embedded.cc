#include "catalog/embedded.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr std::string_view kExtension = ".yaml";

const EmbeddedFile* find(std::string_view path) {
  const std::vector<EmbeddedFile>& files = embedded_catalog();
  const auto at = std::find_if(files.begin(), files.end(),
                               [path](const EmbeddedFile& file) { return file.path == path; });
  return at == files.end() ? nullptr : &*at;
}

}  // namespace

std::vector<std::string> embedded_names(std::string_view folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_catalog()) {
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
  return SpecFile::parse(std::string(file->text), "catalog/" + std::string(path));
}

}  // namespace plimsoll
