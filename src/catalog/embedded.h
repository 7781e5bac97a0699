// The YAML files of catalog/ as they were at build time, or a user's in their place.
#pragma once

#include <cstdint>
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

}  // namespace plimsoll
