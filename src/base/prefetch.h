// Asks the processor to fetch what is needed soon and has not been looked at for long. Changes no
// result. Called where queues and batches are too large for its caches.
#pragma once

#include <cstddef>

namespace plimsoll {

/// So many bytes from there on.
inline void prefetch(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto* line = static_cast<const char*>(from);
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(line + i);
}

}  // namespace plimsoll
