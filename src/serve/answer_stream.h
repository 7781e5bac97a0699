// An answer in pieces while it is worked out, lines of JSON or events: {"progress": "...", ...} now
// and then, of which the newest counts (and the newest with charts), in the end the answer in full
// or {"error": ...}. Taken by the thread of the connection, line by line. Whoever drops it stops
// the work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "serve/api_verb.h"

namespace plimsoll {

class AnswerStream {
 public:
  /// Gives the last piece.
  using Work = std::function<std::string(const ApiListener&)>;
  /// Makes a piece of what the work tells of itself; called on any thread.
  using PieceOf = std::function<std::string(const Json& progress)>;

  /// `is_gone`: whoever asked has left; asked on the thread that calls next() alone.
  AnswerStream(Work work, PieceOf piece_of, std::function<bool()> is_gone, bool draws = false);
  ~AnswerStream();
  AnswerStream(const AnswerStream&) = delete;
  AnswerStream& operator=(const AnswerStream&) = delete;

  /// The next piece; an empty line, which means nothing, where there is no news for a while. Waits.
  /// "" after the last piece, and where whoever asked has left.
  std::string next();

 private:
  void add(std::string piece, std::string* place);

  const std::function<bool()> is_gone_;
  std::atomic<bool> dropped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string progress_;  ///< the newest piece that nobody took
  std::string drawn_;     ///< and the newest with charts
  std::string last_;
  bool all_taken_ = false;
  std::thread worker_;  // the last: it uses the others
};

// Pages of answers that a browser comes back for, as `?report=true` asks: the last ones, in memory.

class KeptPages {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr const char* kFolder = "/reports/";

  /// Returns its path, which nobody can guess: a browser has no token to show for it. The page
  /// stays until kMost others have come after it.
  std::string keep(std::string page);

  std::optional<std::string> find(const std::string& path) const;

 private:
  struct Kept {
    std::string path;
    std::string page;
  };
  mutable std::mutex one_at_a_time_;
  std::deque<Kept> pages_;  ///< the oldest first
};

}  // namespace plimsoll
