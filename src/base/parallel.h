// The one parallel loop of the program.
#pragma once

#include <cstddef>
#include <functional>

namespace plimsoll {

/// As many as there are processors, one at least.
std::size_t processors();

/// Calls work(0), work(1), ..., work(count - 1) on up to `threads` threads, the calling one among
/// them, each as soon as one is free; returns when all are done. With `keep_going`, no further call
/// is begun once it says no. Calls share nothing that they change, and do not throw.
void for_each_in_parallel(std::size_t count, std::size_t threads,
                          const std::function<void(std::size_t)>& work,
                          const std::function<bool()>& keep_going = {});

}  // namespace plimsoll
