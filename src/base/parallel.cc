#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/command_files.h"

namespace plimsoll {
namespace {

// What the first call to fail threw, from its thread to the caller's.
class FirstFailure {
 public:
  void run(const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      any_ = true;
    }
  }
  bool any() const { return any_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::atomic<bool> any_ = false;
};

// False where the system has no thread left, or no memory for its stack.
bool start(const std::function<void()>& work, std::vector<std::thread>* threads) {
  try {
    threads->emplace_back([&work, files = CommandFiles::of_this_thread()] {
      const CommandFiles::Binding binding(files);
      work();
    });
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

}  // namespace

std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

std::size_t threads_for(std::int64_t asked) {
  return asked > 0 ? static_cast<std::size_t>(asked) : processors();
}

void for_each_in_parallel(std::size_t count, std::size_t threads,
                          const std::function<void(std::size_t)>& work,
                          const std::function<bool()>& keep_going) {
  std::atomic<std::size_t> next = 0;
  FirstFailure failure;
  const std::function<void()> loop = [&] {
    failure.run([&] {
      while (!failure.any() && (!keep_going || keep_going())) {
        const std::size_t i = next++;
        if (i >= count) return;
        work(i);
      }
    });
  };
  std::vector<std::thread> others;
  while (others.size() + 1 < std::min(threads, count) && start(loop, &others)) {
  }
  loop();
  for (std::thread& other : others) other.join();
  failure.rethrow();
}

void work_and_watch(const std::function<void()>& work, const std::function<void()>& look) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  FirstFailure failure;
  const std::function<void()> all = [&] {
    failure.run(work);
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  };
  std::vector<std::thread> other;
  if (!start(all, &other)) return work();
  const auto is_done_soon = [&] {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; });
  };
  while (!is_done_soon()) failure.run(look);
  other.front().join();
  failure.rethrow();
}

}  // namespace plimsoll
