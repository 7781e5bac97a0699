// Pages of answers that a browser comes back for, as `?report=true` asks: the last ones, in memory.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace plimsoll {

class KeptPages {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr const char* kFolder = "/reports/";

  /// Returns its path, which nobody can guess: a browser has no token to show for it. The page
  /// stays until kMost others have come after it.
  std::string keep(std::string page);

  std::optional<std::string> find(const std::string& path) const;

 private:
  struct Kept {
    std::string path;
    std::string page;
  };
  mutable std::mutex one_at_a_time_;
  std::deque<Kept> pages_;  ///< the oldest first
};

}  // namespace plimsoll
