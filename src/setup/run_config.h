// The settings of a run, and what stood in where nothing was said. Filled with the setup, shown by
// every report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll {

using ConfigValue = std::variant<std::string, double, std::int64_t, bool>;

struct ConfigEntry {
  std::string key;  ///< the flag without its dashes, e.g. "num-instances"
  ConfigValue value;
  /// "flag", "file", "catalog", "calibration", "computed", "assumed" or "default".
  std::string origin;
  /// The range of what a computed whole number may be instead.
  std::optional<std::pair<std::int64_t, std::int64_t>> interval = std::nullopt;
};

struct RunConfig {
  std::string verb = "run";  ///< "run" or "replay"
  std::int64_t seed = 42;
  std::vector<ConfigEntry> entries;  ///< every resolved value, in the order to show them
};

}  // namespace plimsoll
