#include "serve/head_deadlines.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace plimsoll {
namespace {

void drop(int socket) {
  shutdown(socket, SHUT_RDWR);
  close(socket);
}

}  // namespace

HeadDeadlines::HeadDeadlines(std::size_t most) : most_(most), watcher_([this] { watch(); }) {}

HeadDeadlines::~HeadDeadlines() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  watcher_.join();
  for (const auto& [_, one] : waiting_) close(one.socket);
}

void HeadDeadlines::set(const void* connection, int socket, std::chrono::milliseconds within) {
  const int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return;  // too many files are open: the time without a byte is what is left
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = waiting_.try_emplace(connection);
  if (!is_new) close(at->second.socket);
  at->second = {copy, now, now + within};
  if (waiting_.size() > most_) drop_oldest();
}

void HeadDeadlines::drop_oldest() {
  const auto oldest =
      std::ranges::min_element(waiting_, {}, [](const auto& entry) { return entry.second.since; });
  drop(oldest->second.socket);
  waiting_.erase(oldest);
}

void HeadDeadlines::met(const void* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(connection);
  if (found == waiting_.end()) return;
  close(found->second.socket);
  waiting_.erase(found);
}

void HeadDeadlines::watch() {
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  std::unique_lock lock(mutex_);
  while (!ends_) {
    changed_.wait_for(lock, kBetweenLooks);
    std::erase_if(waiting_, [now = Clock::now()](const auto& entry) {
      const bool is_late = now >= entry.second.end;
      if (is_late) drop(entry.second.socket);
      return is_late;
    });
  }
}

}  // namespace plimsoll
