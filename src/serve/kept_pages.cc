#include "serve/kept_pages.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace plimsoll {

std::string KeptPages::keep(std::string page) {
  std::random_device random;
  std::string path = kFolder;
  for (int i = 0; i < 4; ++i) path += fmt::format("{:08x}", std::uint32_t{random()});
  const std::lock_guard lock(one_at_a_time_);
  if (pages_.size() == kMost) pages_.pop_front();
  pages_.push_back({path, std::move(page)});
  return path;
}

std::optional<std::string> KeptPages::find(const std::string& path) const {
  const std::lock_guard lock(one_at_a_time_);
  const auto found = std::ranges::find(pages_, path, &Kept::path);
  if (found == pages_.end()) return std::nullopt;
  return found->page;
}

}  // namespace plimsoll
