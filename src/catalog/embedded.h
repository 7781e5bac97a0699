// The YAML files of catalog/ as they were at build time.
#pragma once

#include <string_view>
#include <vector>

namespace plimsoll {

struct EmbeddedFile {
  std::string_view path;  ///< relative to catalog/, e.g. "models/qwen3-14b.yaml"
  std::string_view text;
};

/// Sorted by path.
const std::vector<EmbeddedFile>& embedded_catalog();

}  // namespace plimsoll
