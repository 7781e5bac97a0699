// Where the CPU time of a run went, for `--log info`. Goes to stderr: results know no clock.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace plimsoll {

/// The first lap begins with the process.
class CpuLaps {
 public:
  /// All CPU time since the last lap, user and system, was spent on this.
  void lap(std::string_view what) {
    const std::clock_t now = std::clock();
    const double seconds = static_cast<double>(now - last_) / CLOCKS_PER_SEC;
    text_ += fmt::format("{}{:.3f} {}", text_.empty() ? "" : ", ", seconds, what);
    last_ = now;
  }

  /// "CPU seconds: 0.003 setup, 1.204 traffic, ..."
  std::string text() const { return "CPU seconds: " + text_; }

 private:
  std::clock_t last_ = 0;
  std::string text_;
};

}  // namespace plimsoll
