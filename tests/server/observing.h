// Runs `plimsoll observe` within a test.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/file.h"
#include "cli/verbs.h"
#include "server/step_law_server.h"

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

using Ms = std::chrono::duration<double, std::milli>;

inline StepLaw quick_law() {
  StepLaw law;
  law.base = Ms(4);
  law.per_decode = Ms(0.1);
  law.per_prompt_token = Ms(0.01);
  return law;
}

inline const std::vector<std::string> kShort{
    "--prompt-tokens", "100", "--prompt-tokens-stdev", "0",
    "--output-tokens", "10",  "--output-tokens-stdev", "0"};

inline std::vector<std::string> with_short(std::vector<std::string> more) {
  more.insert(more.end(), kShort.begin(), kShort.end());
  return more;
}

inline std::string text_of(const std::string& path) {
  auto text = read_file(path);
  EXPECT_TRUE(text.has_value()) << path;
  return text.value_or("");
}

inline std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::istringstream text(text_of(path));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(text, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

inline std::vector<std::string> with_page(const Recording& recording,
                                          std::vector<std::string> more) {
  more.insert(more.end(),
              {"--rate", "100", "--num-requests", "30", "--html", recording.file("page.html")});
  return with_short(std::move(more));
}

}  // namespace plimsoll::test
