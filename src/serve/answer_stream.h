// An answer as lines of JSON while it is worked out: {"progress": "...", ...} now and then, of
// which the newest counts, in the end the answer in full or {"error": ...}. Made by api.cc; taken
// by the thread of the connection, line by line. Whoever drops it stops the work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/json.h"

namespace plimsoll {

class AnswerStream {
 public:
  /// What the work may ask, whether it is enough, and what it tells of itself; on any thread.
  struct Listener {
    std::function<bool()> stopped;
    std::function<void(const Json&)> on_progress;
  };
  /// Gives the last line, without its end.
  using Work = std::function<std::string(const Listener&)>;

  /// `is_gone`: whoever asked has left; asked on the thread that calls next() alone.
  AnswerStream(Work work, std::function<bool()> is_gone);
  ~AnswerStream();
  AnswerStream(const AnswerStream&) = delete;
  AnswerStream& operator=(const AnswerStream&) = delete;

  /// The next line, with its end; an empty line where there is no news for a while. Waits. "" after
  /// the last line, and where whoever asked has left.
  std::string next();

 private:
  void add(const std::string& line, bool is_last);

  const std::function<bool()> is_gone_;
  std::atomic<bool> dropped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string progress_;  ///< the newest line that nobody took
  std::string last_;
  bool ended_ = false;
  bool all_taken_ = false;
  std::thread worker_;  // the last: it uses the others
};

}  // namespace plimsoll
