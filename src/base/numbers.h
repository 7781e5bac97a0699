// Counts as real numbers.
#pragma once

#include <cstdint>

namespace plimsoll {

inline double as_double(std::int64_t n) { return static_cast<double>(n); }

}  // namespace plimsoll
