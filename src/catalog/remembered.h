// Remembers what was read from the catalog, by name: a plan asks for the same model and GPUs with
// each of its candidates. Forgotten when another folder comes into use (catalog/embedded.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"
#include "catalog/embedded.h"

namespace plimsoll {

template <class Value>
class Remembered {
 public:
  /// Returns what `read` returns, or returned for that name before; errors are not kept.
  /// Thread-safe.
  Result<Value> of(const std::string& name, const std::function<Result<Value>()>& read) {
    const std::lock_guard lock(one_at_a_time_);
    if (edition_ != catalog_edition()) known_.clear();
    edition_ = catalog_edition();
    if (const auto at = known_.find(name); at != known_.end()) return at->second;
    auto value = read();
    if (value) known_.emplace(name, *value);
    return value;
  }

 private:
  std::mutex one_at_a_time_;
  std::int64_t edition_ = 0;
  std::map<std::string, Value> known_;
};

}  // namespace plimsoll
