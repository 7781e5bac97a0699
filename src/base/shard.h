// A part of the units of work behind an answer that is worked out without the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll {

/// Every `count`th of them.
struct Shard {
  std::int64_t index = 0;  ///< from 0
  std::int64_t count = 1;

  bool has(std::size_t unit) const { return static_cast<std::int64_t>(unit) % count == index; }
};

}  // namespace plimsoll
