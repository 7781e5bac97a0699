// The one parallel loop of the program, and the one way to work while somebody looks on. What a
// call throws on whichever thread (running out of memory, above all) comes out of them on the
// caller's; where the system gives no more threads, fewer do the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace plimsoll {

/// As many as there are processors, one at least.
std::size_t processors();

/// As many as are asked for; 0: as many as there are processors.
std::size_t threads_for(std::int64_t asked);

/// Calls work(0), work(1), ..., work(count - 1) on up to `threads` threads, the calling one among
/// them, each as soon as one is free; returns when all are done. With `keep_going`, no further call
/// is begun once it says no, nor after a call that threw. Calls share nothing that they change.
void for_each_in_parallel(std::size_t count, std::size_t threads,
                          const std::function<void(std::size_t)>& work,
                          const std::function<bool()>& keep_going = {});

/// Does `work` on a thread of its own and calls `look` on this one some times a second until it is
/// done. Without a second thread nobody looks.
void work_and_watch(const std::function<void()>& work, const std::function<void()>& look);

}  // namespace plimsoll
