#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace plimsoll {

std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

void for_each_in_parallel(std::size_t count, std::size_t threads,
                          const std::function<void(std::size_t)>& work,
                          const std::function<bool()>& keep_going) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    while (!keep_going || keep_going()) {
      const std::size_t i = next++;
      if (i >= count) return;
      work(i);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(loop);
  loop();
  for (std::thread& other : others) other.join();
}

}  // namespace plimsoll
