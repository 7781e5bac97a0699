// Would Kubernetes take a manifest? Its leaves are held against a table of the types that its API
// has (OpenAPI of release 1.34), of which the part that is emitted stands in a test: a leaf that is
// not in the table is one that nobody looked up.
#pragma once

#include <map>
#include <regex>
#include <set>
#include <string>

#include "spec/spec_node.h"

namespace plimsoll::test {

// A text may hold anything, if YAML says that it is one.
enum class LeafType { label, whole, truth, text, constant };

struct Leaf {
  LeafType type;
  const char* value = "";  ///< of a constant
};

/// By path; "[]" stands for the elements of a list.
using Leaves = std::map<std::string, Leaf>;

inline bool is_of(const Leaf& leaf, const SpecNode& node) {
  static const std::regex label("[a-z]([-a-z0-9]{0,61}[a-z0-9])?");
  static const std::regex whole("[0-9]+");
  // What YAML takes for something else than a text unless it is quoted.
  static const std::regex other("|~|null|true|false|yes|no|on|off|[-+.0-9].*", std::regex::icase);
  const std::string& text = node.text;
  if (node.kind != SpecNode::Kind::scalar) return false;
  if (leaf.type == LeafType::whole) return !node.quoted && std::regex_match(text, whole);
  if (leaf.type == LeafType::truth) return !node.quoted && (text == "true" || text == "false");
  if (!node.quoted && std::regex_match(text, other)) return false;
  if (leaf.type == LeafType::label) return std::regex_match(text, label);
  return leaf.type == LeafType::text || text == leaf.value;
}

/// The paths of leaves that the table lacks or that are of another type; notes those that it has.
inline std::string wrong_leaves(const SpecNode& node, const std::string& path, const Leaves& leaves,
                                std::set<std::string>* found) {
  if (node.children.empty()) {
    const auto leaf = leaves.find(path);
    if (leaf == leaves.end() || !is_of(leaf->second, node)) return path + " = " + node.text + "\n";
    found->insert(path);
    return {};
  }
  std::string wrong;
  for (const SpecNode& child : node.children) {
    const bool is_list = node.kind == SpecNode::Kind::list;
    const std::string below = is_list        ? path + "[]"
                              : path.empty() ? child.key
                                             : path + "." + child.key;
    wrong += wrong_leaves(child, below, leaves, found);
  }
  return wrong;
}

}  // namespace plimsoll::test
