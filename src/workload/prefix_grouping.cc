#include "workload/prefix_grouping.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace plimsoll {
namespace {

// The prefixes of all requests as a tree of segments. Parents stand before their children.
class PrefixTree {
 public:
  PrefixTree() : nodes_(1) {}

  /// Takes the prefix of the next request; returns the node where it ends.
  std::size_t add(const Request& request) {
    std::size_t at = 0;
    for (const PrefixSegment& segment : request.prefix) {
      const auto [child, is_new] =
          children_.emplace(std::tuple(at, segment.content, segment.tokens), nodes_.size());
      if (is_new) {
        Node& node = nodes_.emplace_back();
        node.parent = at;
        node.depth = nodes_[at].depth + segment.tokens;
      }
      at = child->second;
      nodes_[at].requests += 1;
    }
    nodes_[at].ending += 1;
    return at;
  }

  /// Chooses the nodes that become groups; a group costs as much as `price` saved tokens.
  // From the leaves up: is it better to have a group here, of all requests for which no group
  // further down is better, or to leave them alone?
  void choose(double price) {
    for (std::size_t i = nodes_.size(); --i > 0;) {
      Node& node = nodes_[i];
      const auto depth = static_cast<double>(node.depth);
      const double group = node.inside + static_cast<double>(node.ending) * depth - depth - price;
      node.is_group = group > node.beside;
      node.best = std::max(group, node.beside);
      Node& parent = nodes_[node.parent];
      parent.beside += node.best;
      const double in_parent =
          static_cast<double>(node.requests) * static_cast<double>(parent.depth);
      parent.inside += std::max(node.best, in_parent);
    }
    // From the root down: whoever is better off in the group above has none of its own.
    std::vector<bool> merged(nodes_.size());
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      const Node& parent = nodes_[node.parent];
      const double in_parent =
          static_cast<double>(node.requests) * static_cast<double>(parent.depth);
      merged[i] = merged[node.parent] || (parent.is_group && in_parent >= node.best);
      if (merged[i]) node.is_group = false;
    }
  }

  std::size_t size() const { return nodes_.size(); }
  std::size_t parent(std::size_t node) const { return nodes_[node].parent; }
  std::int64_t depth(std::size_t node) const { return nodes_[node].depth; }
  std::int64_t requests(std::size_t node) const { return nodes_[node].requests; }
  bool is_group(std::size_t node) const { return nodes_[node].is_group; }

 private:
  struct Node {
    std::size_t parent = 0;
    std::int64_t depth = 0;     // tokens from the start of the prompt to the end of this segment
    std::int64_t requests = 0;  // whose prefixes go through here or end here
    std::int64_t ending = 0;    // those that end here
    double best = 0;            // what groups here and below save, less their price
    double inside = 0;  // the same of the children, each the better of itself and of this group
    double beside = 0;  // the same of the children, without a group here
    bool is_group = false;
  };

  std::vector<Node> nodes_;
  std::map<std::tuple<std::size_t, std::uint64_t, std::int64_t>, std::size_t> children_;
};

}  // namespace

PrefixGrouping group_by_prefix(const Workload& workload) {
  PrefixGrouping grouping;
  PrefixTree tree;
  std::vector<std::size_t> ends;  // by request
  WorkloadSource source(workload);
  for (Request request; source.next(&request);) {
    grouping.prompt_tokens += request.input_tokens;
    ends.push_back(tree.add(request));
  }
  tree.choose(static_cast<double>(grouping.prompt_tokens) / 1000);

  std::vector<std::size_t> group_of_node(tree.size(), PrefixGrouping::kNone);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const std::int64_t segment = tree.depth(i) - tree.depth(tree.parent(i));
    grouping.shared_tokens += (tree.requests(i) - 1) * segment;
    group_of_node[i] = group_of_node[tree.parent(i)];
    if (!tree.is_group(i)) continue;
    group_of_node[i] = grouping.tokens.size();
    grouping.tokens.push_back(tree.depth(i));
    grouping.kept_tokens -= tree.depth(i);  // whoever comes first shares nothing
  }
  for (const std::size_t end : ends) {
    grouping.group_of.push_back(group_of_node[end]);
    if (group_of_node[end] != PrefixGrouping::kNone) {
      grouping.kept_tokens += grouping.tokens[group_of_node[end]];
    }
  }
  return grouping;
}

}  // namespace plimsoll
