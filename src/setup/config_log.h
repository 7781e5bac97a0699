// Collects the resolved values of a run with the origin of each, for the reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/setting.h"
#include "perf/model_error.h"
#include "setup/run_config.h"

namespace plimsoll {

template <class T>
Origin origin_of(const Setting<T>& setting) {
  return setting.origin();
}
template <class T>
Origin origin_of(const std::optional<T>& said) {
  return said ? Origin::asked : Origin::usual;
}
template <class T>
Origin origin_of(const std::vector<T>& said) {
  return said.empty() ? Origin::usual : Origin::asked;
}
inline Origin origin_of(const std::string& said) {
  return said.empty() ? Origin::usual : Origin::asked;
}

class ConfigLog {
 public:
  /// A value that a setting decides where somebody chose it; else it is from `otherwise`
  /// ("default", "catalog", "computed" or "file"). The key is the flag without its dashes.
  template <class T, class Field>
  void value(std::string_view key, T value, const Field& setting,
             std::string_view otherwise = "default") {
    const Origin origin = origin_of(setting);
    fixed(key, std::move(value),
          origin == Origin::asked  ? "flag"
          : origin == Origin::file ? "file"
                                   : otherwise);
  }

  /// A setting as it is.
  template <class T>
  void setting(std::string_view key, const Setting<T>& setting) {
    value(key, *setting, setting);
  }

  /// A value that no setting can change in this run.
  template <class T>
  void fixed(std::string_view key, T value, std::string_view origin) {
    entries_.push_back({std::string(key), std::move(value), std::string(origin)});
  }

  /// Notes what the last noted value may be instead, unless the user said it.
  void may_be(const std::optional<KvInterval>& blocks) {
    if (!blocks || entries_.back().origin != "computed") return;
    entries_.back().interval = {blocks->low, blocks->high};
  }

  std::vector<ConfigEntry> take() { return std::move(entries_); }

 private:
  std::vector<ConfigEntry> entries_;
};

}  // namespace plimsoll
