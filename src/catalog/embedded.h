// The YAML files of catalog/ as they were at build time, or a user's in their place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "base/result.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// Sorted by path.
const std::vector<EmbeddedFile>& catalog_files();

/// Puts the YAML files of `folder`, laid out like catalog/, in the place of those of the same path,
/// and new models, GPUs and kernels beside them. Before anything is read, and once: not
/// thread-safe. Returns the paths. Files that nothing would read are errors.
Result<std::vector<std::string>> use_catalog_folder(const std::string& folder);

/// How often another folder came into use: what was read before that is of no use.
std::int64_t catalog_edition();

/// The names of the files under a folder ("gpus/"), without folder and extension, sorted.
std::vector<std::string> embedded_names(std::string_view folder);

/// The path of a name under a folder.
std::string embedded_path(std::string_view folder, std::string_view name);

bool is_embedded(std::string_view path);

/// A file that is_embedded(), open for reading.
Result<SpecFile> open_embedded(std::string_view path);

/// Remembers what was read from the catalog, by name: a plan asks for the same model and GPUs with
/// each of its candidates. Forgotten when another folder comes into use.
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
