#include "base/memory.h"

#include <algorithm>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plimsoll {

#ifdef __GLIBC__

void keep_freed_memory(std::size_t bytes) {
  constexpr int kLargestInArena = 32 << 20;  // the most that glibc takes
  mallopt(M_MMAP_THRESHOLD, kLargestInArena);
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(bytes));
}

void share_arenas(std::size_t arenas) {
  mallopt(M_ARENA_MAX, static_cast<int>(std::max<std::size_t>(2, arenas)));
}

#else

void keep_freed_memory(std::size_t) {}
void share_arenas(std::size_t) {}

#endif

}  // namespace plimsoll
