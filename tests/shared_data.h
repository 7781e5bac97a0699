// Where recorded runs of the reference simulator lie, for tests that compare with them. They are
// not part of the repository: a test that finds none skips itself.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace plimsoll {

/// The folder named by PLIMSOLL_SHARED, else the folder `shared` beside the source tree.
inline std::optional<std::filesystem::path> shared_data_folder() {
  const char* named = std::getenv("PLIMSOLL_SHARED");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named)
                       : std::filesystem::path(PLIMSOLL_SOURCE_DIR).parent_path() / "shared";
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

}  // namespace plimsoll
