// The parsed form of a YAML or JSON file: a plain tree with positions. Text stays text; what a
// scalar means is decided by whoever asks for it (spec_file.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll {

struct SpecPosition {
  int line = 0;  ///< 1-based
  int column = 0;
};

struct SpecNode {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  SpecPosition at;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< the scalar stood in quotes: text, never a number or a truth value

  /// Elements of a list, or values of a map in the order of the file, each with its key.
  std::vector<SpecNode> children;
  std::string key;
  SpecPosition key_at;
  std::vector<std::size_t> by_key;  ///< of a map: places in `children`, in the order of their keys

  /// The value of a key of this map; null where it has no such key. Takes the logarithm of its
  /// size.
  const SpecNode* child(std::string_view wanted) const;
};

/// "a list", "a map", ... for messages.
const char* kind_name(SpecNode::Kind kind);

/// Parses one document. Refused, each with its place: what is not well-formed UTF-8 YAML (JSON is a
/// subset), anchors and aliases, tags, keys that are not scalars, duplicate keys, a second document
/// and nesting beyond any real spec. An empty document is a null node.
Result<SpecNode> parse_spec(std::string_view text, const std::string& file);

/// The given line of a text, without its line end and cut not far beyond `column`.
std::string source_line(std::string_view text, SpecPosition at);

}  // namespace plimsoll
