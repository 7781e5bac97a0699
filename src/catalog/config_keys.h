// Looks keys up in a config.json: the model's language part may stand under `text_config` (or
// `llm_config`), whose keys override the top level, and the same number goes by several names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "spec/spec_file.h"

namespace plimsoll {

// Far beyond any model, and small enough that no product of them leaves the range of a double.
inline constexpr IntRange kCount{1, 1'000'000};
inline constexpr IntRange kCountOrAbsent{0, 1'000'000};
inline constexpr IntRange kWidth{1, 100'000'000};
inline constexpr IntRange kWidthOrAbsent{0, 100'000'000};
inline constexpr IntRange kLength{0, 1'000'000'000'000};
/// Layers are looked at one by one.
inline constexpr IntRange kLayers{1, 10'000};

class ConfigKeys {
 public:
  explicit ConfigKeys(SpecMap top);

  /// The map that speaks for this key.
  SpecMap& of(const char* key);
  bool has(const char* key) { return of(key).has(key); }

  /// The first of the names that is present and not zero; 0 if there is none.
  std::int64_t first_of(std::initializer_list<const char*> keys, IntRange range);
  /// The same; an error that misses the first name if there is none.
  std::int64_t required(std::initializer_list<const char*> keys, IntRange range);

  /// The first of the names that is present; empty if there is none.
  std::string text(std::initializer_list<const char*> keys);
  bool flag(const char* key, bool absent);

  /// A list with a value for each of so many layers; an error, and an empty list, if it has more or
  /// fewer.
  std::vector<std::string> per_layer(const char* key, std::int64_t layers);
  std::vector<std::int64_t> counts_per_layer(const char* key, std::int64_t layers);

  void error(const char* key, std::string message, std::string hint = {}) {
    of(key).error(key, std::move(message), std::move(hint));
  }

 private:
  std::vector<SpecMap> maps_;
};

}  // namespace plimsoll
