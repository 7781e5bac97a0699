// What the program does with memory that it frees.
#pragma once

#include <cstddef>

namespace plimsoll {

/// Up to so many bytes that are freed stay with the program, in each arena of its threads, for what
/// it needs next. Tables of the next run that are paged in anew take a tenth to a fifth of the time
/// of a search. Memory of 32 MiB or more in one piece always goes back to the system. Does nothing
/// where the C library is not glibc.
void keep_freed_memory(std::size_t bytes);

/// Threads share so many arenas, at least two: many of them would each leave pieces of their work
/// in an arena of its own.
void share_arenas(std::size_t arenas);

}  // namespace plimsoll
