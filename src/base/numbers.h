// Counts as real numbers, and divided.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll {

inline double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Converts a count that is not negative.
constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// A count that is not negative divided by one above 0, rounded up.
constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

}  // namespace plimsoll
