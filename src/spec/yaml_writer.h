// Block-style YAML, line by line, that spec_file.h reads back as it was written: text is quoted
// where another reading is possible, numbers are the shortest text of the same double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quoting.h"

namespace plimsoll {

class YamlWriter {
 public:
  void text(std::string_view key, std::string_view value) { scalar(key, yaml_text(value)); }
  void number(std::string_view key, double value);
  void integer(std::string_view key, std::int64_t value) { scalar(key, std::to_string(value)); }
  void flag(std::string_view key, bool value) { scalar(key, value ? "true" : "false"); }
  /// A value in flow style, `{a: 1, b: 2}`: its head, the entries and its tail. Broken into several
  /// lines where it is long.
  void flow(std::string_view key, const std::string& head, const std::vector<std::string>& entries,
            const std::string& tail);

  /// A map or list under a key, until close().
  void open(std::string_view key);
  void close() { depth_ -= 1; }
  /// The next element of a list of maps begins; the lines up to end_item() belong to it.
  void begin_item();
  void end_item() { depth_ -= 1; }

  std::string take() { return std::move(out_); }

 private:
  void scalar(std::string_view key, std::string_view value);
  void begin_line(std::string_view key);

  std::string out_;
  std::size_t depth_ = 0;
  bool first_of_item_ = false;
};

}  // namespace plimsoll
