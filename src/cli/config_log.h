// Collects the resolved values of a run with the origin of each, for the reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "perf/kv_interval.h"
#include "report/answer/run_config.h"

namespace plimsoll {

class ConfigLog {
 public:
  explicit ConfigLog(const Options& options) : options_(options) {}

  /// The value of a flag: said by the user, or from `otherwise` ("default", "catalog", "computed"
  /// or "file").
  template <class T>
  void flag(std::string_view flag, T value, std::string_view otherwise = "default") {
    if (options_.from_file.contains(flag)) otherwise = "file";
    fixed(flag, std::move(value), options_.is_given(flag) ? "flag" : otherwise);
  }

  /// A value that the flag cannot change in this run.
  template <class T>
  void fixed(std::string_view flag, T value, std::string_view origin) {
    entries_.push_back({std::string(flag.substr(2)), std::move(value), std::string(origin)});
  }

  /// What the value that was noted last may be instead, unless the user said it.
  void may_be(const std::optional<KvInterval>& blocks) {
    if (!blocks || entries_.back().origin != "computed") return;
    entries_.back().interval = {blocks->low, blocks->high};
  }

  std::vector<ConfigEntry> take() { return std::move(entries_); }

 private:
  const Options& options_;
  std::vector<ConfigEntry> entries_;
};

}  // namespace plimsoll
