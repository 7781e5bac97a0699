// A text file as it was when the program was built (cmake/embed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace plimsoll {

struct EmbeddedFile {
  std::string_view path;  ///< relative to its folder, e.g. "models/qwen/qwen3-14b.yaml"
  std::string_view text;
};

// Written by the build; all sorted by path.
const std::vector<EmbeddedFile>& embedded_catalog();  ///< the YAML files of catalog/
const std::vector<EmbeddedFile>& embedded_docs();     ///< pages whose tables define words
const std::vector<EmbeddedFile>& embedded_page();     ///< the page of `serve`, and its files
const std::vector<EmbeddedFile>& embedded_report();   ///< style and script of the pages of reports
const std::vector<EmbeddedFile>& embedded_answers();  ///< JSON Schemas of the answers of the API

}  // namespace plimsoll
