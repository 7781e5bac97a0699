// A server that says exactly what a test tells it to, byte by byte: for all that servers do wrong.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll::test {

struct Said {
  int after_ms = 0;
  std::string bytes;
};

struct Script {
  std::vector<Said> answer;  ///< to each streamed completion
  bool hang_up = true;       ///< after it; else the connection stays open, silent
  bool resets = false;       ///< hangs up with a TCP reset
};

/// On 127.0.0.1, one thread per connection, from construction to destruction. Short questions
/// (which models, whole completions) are answered properly: the model is called "law", a word is a
/// token.
class ScriptedServer {
 public:
  explicit ScriptedServer(Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int streams_asked_for() const { return streams_; }

 private:
  void accept_all();
  void serve(int connection);
  bool wait(int ms) const;

  const Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> streams_ = 0;
  std::mutex mutex_;
  std::list<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace plimsoll::test
