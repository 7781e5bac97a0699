// Until when the head of a request has to be there, and how many connections may be without one:
// those that send one byte now and then would hold their places for ever, and the server has only
// so many.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <thread>

namespace plimsoll {

/// May be called from any thread.
class HeadDeadlines {
 public:
  /// Where there are more than `most`, the one that has waited the longest is shut down.
  explicit HeadDeadlines(std::size_t most);
  ~HeadDeadlines();
  HeadDeadlines(const HeadDeadlines&) = delete;
  HeadDeadlines& operator=(const HeadDeadlines&) = delete;

  /// Shuts the socket down after that time, unless met() comes first; `connection` is its name.
  void set(const void* connection, int socket, std::chrono::milliseconds within);
  /// The head is there, or the connection has ended.
  void met(const void* connection);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    int socket;  ///< a copy: the number of the socket itself may be another one's by then
    Clock::time_point since;
    Clock::time_point end;
  };

  void watch();
  void drop_oldest();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const void*, Waiting> waiting_;
  bool ends_ = false;
  std::thread watcher_;  // the last: it uses the others
};

}  // namespace plimsoll
