#include "catalog/config_keys.h"

#include <algorithm>

namespace plimsoll {

ConfigKeys::ConfigKeys(SpecMap top) {
  top.accept_foreign_keys();
  maps_ = {top};
  for (const char* key : {"text_config", "llm_config"}) {
    if (top.has_map(key)) maps_.insert(maps_.begin(), *top.optional_map(key));
  }
}

SpecMap& ConfigKeys::of(const char* key) {
  for (SpecMap& map : maps_) {
    if (map.has(key)) return map;
  }
  return maps_.front();
}

std::int64_t ConfigKeys::first_of(std::initializer_list<const char*> keys, IntRange range) {
  for (const char* key : keys) {
    const auto value =
        of(key).optional_integer(key, {std::min<std::int64_t>(0, range.min), range.max});
    if (value.value_or(0) != 0) return *value;
  }
  return 0;
}

std::int64_t ConfigKeys::required(std::initializer_list<const char*> keys, IntRange range) {
  for (const char* key : keys) {
    if (has(key)) return of(key).integer(key, range);
  }
  return of(*keys.begin()).integer(*keys.begin(), range);
}

std::string ConfigKeys::text(std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (has(key)) return of(key).optional_text(key).value_or("");
  }
  return {};
}

bool ConfigKeys::flag(const char* key, bool absent) {
  return of(key).optional_flag(key).value_or(absent);
}

std::vector<std::string> ConfigKeys::per_layer(const char* key, std::int64_t layers) {
  std::vector<std::string> values = of(key).texts(key);
  if (static_cast<std::int64_t>(values.size()) == layers) return values;
  error(key, "\"" + std::string(key) + "\" has " + std::to_string(values.size()) + " values for " +
                 std::to_string(layers) + " layers");
  return {};
}

std::vector<std::int64_t> ConfigKeys::counts_per_layer(const char* key, std::int64_t layers) {
  const NumberRange range{0, static_cast<double>(kCountOrAbsent.max)};
  std::vector<std::int64_t> values;
  for (const double value : of(key).numbers(key, range)) {
    if (value != std::floor(value)) {
      error(key, "\"" + std::string(key) + "\" must hold whole numbers");
      return {};
    }
    values.push_back(static_cast<std::int64_t>(value));
  }
  if (static_cast<std::int64_t>(values.size()) == layers) return values;
  error(key, "\"" + std::string(key) + "\" has " + std::to_string(values.size()) + " values for " +
                 std::to_string(layers) + " layers");
  return {};
}

}  // namespace plimsoll
