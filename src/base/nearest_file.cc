#include "base/nearest_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace plimsoll {

std::string nearest_file(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMost = 1000;
  const fs::path wanted(path);
  const fs::path folder = wanted.parent_path().empty() ? fs::path(".") : wanted.parent_path();
  const std::string wanted_name = wanted.filename().string();
  if (wanted_name.empty()) return {};
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (names.size() == kMost) break;
    std::string name = at->path().filename().string();
    if (name.front() == wanted_name.front()) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  const std::string nearest = nearest_name(wanted_name, names);
  return nearest.empty() ? std::string() : (wanted.parent_path() / nearest).string();
}

}  // namespace plimsoll
