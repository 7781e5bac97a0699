// Runs `plimsoll observe` within a test.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/verbs.h"

namespace plimsoll::test {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

inline Ran run_plimsoll(const std::vector<std::string>& words) {
  setenv("NO_PROXY", "127.0.0.1", 1);
  setenv("no_proxy", "127.0.0.1", 1);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.code = run_command_line(words);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

/// A folder of its own for each test, and the start of the names of a recording in it.
class Recording {
 public:
  Recording() {
    static std::atomic<int> count = 0;
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("observe_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
  }
  ~Recording() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::string prefix() const { return (folder_ / "observed").string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

inline Ran observe(const std::string& url, const Recording& recording,
                   const std::vector<std::string>& more) {
  std::vector<std::string> words{"observe",  "--server-url",    url, "--model", "law",
                                 "--output", recording.prefix()};
  words.insert(words.end(), more.begin(), more.end());
  return run_plimsoll(words);
}

}  // namespace plimsoll::test
