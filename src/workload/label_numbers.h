// Numbers names in the order in which they first come: the indices of RequestTags into the lists of
// Labels. For sources, which meet the same name again and again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll {

class LabelNumbers {
 public:
  /// A new name is added to `names`, always the same list; -1 for the empty name.
  std::int32_t of(std::string_view name, std::vector<std::string>* names) {
    if (name.empty()) return -1;
    const auto next = static_cast<std::int32_t>(names->size());
    const auto [known, is_new] = numbers_.emplace(name, next);
    if (is_new) names->emplace_back(name);
    return known->second;
  }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
};

}  // namespace plimsoll
