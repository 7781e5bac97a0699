// The YAML files of catalog/ as they were at build time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spec/spec_file.h"

namespace plimsoll {

struct EmbeddedFile {
  std::string_view path;  ///< relative to catalog/, e.g. "models/qwen/qwen3-14b.yaml"
  std::string_view text;
};

/// Sorted by path. Written by the build (cmake/embed.cmake).
const std::vector<EmbeddedFile>& embedded_catalog();

/// The names of the files under a folder ("gpus/"), without folder and extension, sorted.
std::vector<std::string> embedded_names(std::string_view folder);

/// The path of a name under a folder.
std::string embedded_path(std::string_view folder, std::string_view name);

bool is_embedded(std::string_view path);

/// A file that is_embedded(), open for reading.
Result<SpecFile> open_embedded(std::string_view path);

}  // namespace plimsoll
