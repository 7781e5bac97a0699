// Counts as real numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll {

inline double as_double(std::int64_t n) { return static_cast<double>(n); }

/// Converts a count that is not negative.
constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace plimsoll
