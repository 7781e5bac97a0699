// The only file that includes yaml-cpp, and the place where its exceptions end.
#include "spec/spec_node.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/printable.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxDepth = 64;

SpecPosition position_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Thrown out of the event handler to stop the parser, caught in parse_spec.
struct Refusal {
  SpecPosition at;
  std::string message;
  std::string hint;
};

// Builds the tree from parser events. yaml-cpp's own document tree is not used: it accepts
// duplicate keys silently and loses where anchors were used.
class TreeBuilder final : public YAML::EventHandler {
 public:
  SpecNode take_root() { return std::move(root_); }

  /// The innermost node of this kind that is still open; null if there is none.
  const SpecNode* innermost_open(SpecNode::Kind kind) const {
    const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                    [&](const OpenNode& open) { return open.node.kind == kind; });
    return found == open_.rend() ? nullptr : &found->node;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw Refusal{position_of(mark), "the file has a second document", "remove the \"---\" line"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(SpecNode::Kind::null, mark, anchor, ""));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refusal{position_of(mark), "aliases are not supported", "write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    SpecNode node = make(SpecNode::Kind::scalar, mark, anchor, tag);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(SpecNode::Kind::list, mark, anchor, tag));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(SpecNode::Kind::map, mark, anchor, tag));
  }
  void OnMapEnd() override {
    sort_keys(&open_.back().node);
    close();
  }

 private:
  struct OpenNode {
    SpecNode node;
    bool has_key = false;  ///< of a map: the next node is the value of `key`
    std::string key;
    SpecPosition key_at;
  };

  static SpecNode make(SpecNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor,
                       const std::string& tag) {
    const SpecPosition at = position_of(mark);
    if (anchor != 0) throw Refusal{at, "anchors are not supported", "write the value out"};
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal{at, "tags are not supported: " + tag, "remove the tag"};
    }
    SpecNode node;
    node.kind = kind;
    node.at = at;
    return node;
  }

  void open(SpecNode node) {
    if (open_.size() >= kMaxDepth) {
      throw Refusal{node.at, "nested more than " + std::to_string(kMaxDepth) + " levels deep", ""};
    }
    if (!open_.empty() && awaits_key(open_.back())) {
      throw Refusal{node.at, std::string("expected a key, found ") + kind_name(node.kind),
                    "a bracket, brace or quotation may be left open"};
    }
    open_.push_back({std::move(node), false, {}, {}});
  }

  void close() {
    SpecNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(SpecNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (awaits_key(parent)) {
      if (node.kind != SpecNode::Kind::scalar) throw Refusal{node.at, "a key is missing here", ""};
      parent.has_key = true;
      parent.key = std::move(node.text);
      parent.key_at = node.at;
      return;
    }
    if (parent.node.kind == SpecNode::Kind::map) {
      node.key = std::move(parent.key);
      node.key_at = parent.key_at;
      parent.has_key = false;
    }
    parent.node.children.push_back(std::move(node));
  }

  static bool awaits_key(const OpenNode& open) {
    return open.node.kind == SpecNode::Kind::map && !open.has_key;
  }

  // Equal keys lie side by side then.
  static void sort_keys(SpecNode* map) {
    const std::vector<SpecNode>& children = map->children;
    map->by_key.resize(children.size());
    std::iota(map->by_key.begin(), map->by_key.end(), std::size_t{0});
    std::stable_sort(map->by_key.begin(), map->by_key.end(), [&](std::size_t a, std::size_t b) {
      return children[a].key < children[b].key;
    });
    for (std::size_t i = 1; i < children.size(); ++i) {
      const SpecNode& first = children[map->by_key[i - 1]];
      const SpecNode& second = children[map->by_key[i]];
      if (first.key != second.key) continue;
      throw Refusal{second.key_at, "duplicate key \"" + second.key + "\"",
                    "it is already set in line " + std::to_string(first.key_at.line)};
    }
  }

  SpecNode root_;
  std::vector<OpenNode> open_;
  int documents_ = 0;
};

/// Traces are read as they are packed; files of this kind are small.
struct Packing {
  std::string_view first_bytes;
  std::string_view name;
  std::string_view remedy;
};
constexpr Packing kPackings[]{{"\x1f\x8b", "gzip", "gunzip"},
                              {"\x28\xb5\x2f\xfd", "zstd", "unzstd"}};

SpecPosition position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return {static_cast<int>(lines) + 1, static_cast<int>(offset - line_start) + 1};
}

tl::unexpected<Error> refuse(std::string_view text, const std::string& file, Refusal why) {
  return fail(ErrorKind::spec, Diagnostic{file, why.at.line, why.at.column, std::move(why.message),
                                          std::move(why.hint), source_line(text, why.at)});
}

// Control characters other than tab and line ends: binary files, not text.
std::size_t find_control_character(std::string_view text) {
  const auto found = std::find_if(text.begin(), text.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u < 0x20 && c != '\t' && c != '\n' && c != '\r') || u == 0x7f;
  });
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

// What yaml-cpp says; of a bracket that is never closed, where it was opened.
std::string fault_in_words(const YAML::Exception& e, const TreeBuilder& read) {
  const bool is_list = e.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  const bool is_map = e.msg == YAML::ErrorMsg::END_OF_MAP_FLOW;
  const SpecNode* open = nullptr;
  if (is_list) open = read.innermost_open(SpecNode::Kind::list);
  if (is_map) open = read.innermost_open(SpecNode::Kind::map);
  if (open == nullptr) return "cannot parse this: " + e.msg;
  return std::string("cannot parse this: the ") + (is_list ? "list" : "map") + " opened on line " +
         std::to_string(open->at.line) + " has no closing " + (is_list ? "]" : "}");
}

// What helps against a fault on a line; empty: nothing that is known.
std::string hint_at(std::string_view text, SpecPosition at, bool open_quote) {
  if (open_quote) return "a quotation is never closed";
  return source_line(text, at).starts_with('\t') ? "YAML is indented by spaces, not by tabs" : "";
}

}  // namespace

const SpecNode* SpecNode::child(std::string_view wanted) const {
  const auto found = std::lower_bound(
      by_key.begin(), by_key.end(), wanted,
      [&](std::size_t place, std::string_view name) { return children[place].key < name; });
  return found != by_key.end() && children[*found].key == wanted ? &children[*found] : nullptr;
}

const char* kind_name(SpecNode::Kind kind) {
  switch (kind) {
    case SpecNode::Kind::null:
      return "nothing";
    case SpecNode::Kind::scalar:
      return "a single value";
    case SpecNode::Kind::list:
      return "a list";
    case SpecNode::Kind::map:
      return "a map";
  }
  return "";
}

std::string source_line(std::string_view text, SpecPosition at) {
  constexpr std::size_t kBeyondColumn = 200;
  for (int line = 1; line < at.line; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find_first_of("\r\n"));
  return std::string(text.substr(0, static_cast<std::size_t>(at.column) + kBeyondColumn));
}

Result<SpecNode> parse_spec(std::string_view text, const std::string& file) {
  for (const Packing& packing : kPackings) {
    if (text.starts_with(packing.first_bytes)) {
      return fail(ErrorKind::spec,
                  Diagnostic{file, 0, 0, "the file is packed by " + std::string(packing.name),
                             "unpack it first: " + std::string(packing.remedy) + " " + file, ""});
    }
  }
  text = without_bom(text);
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    return refuse(
        text, file,
        {position_at(text, bad), "this is not UTF-8 text", "save the file with UTF-8 encoding"});
  }
  if (const std::size_t bad = find_control_character(text); bad != std::string_view::npos) {
    return refuse(text, file,
                  {position_at(text, bad), "unexpected control character", "is this a text file?"});
  }
  TreeBuilder builder;
  try {
    // yaml-cpp takes a quotation that is open at the very end for closed; not before a comment.
    std::istringstream stream(std::string(text) + "\n#");
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& why) {
    return refuse(text, file, why);
  } catch (const YAML::Exception& e) {
    const bool open_quote = e.msg == YAML::ErrorMsg::EOF_IN_SCALAR;
    return refuse(text, file,
                  {position_of(e.mark), fault_in_words(e, builder),
                   hint_at(text, position_of(e.mark), open_quote)});
  } catch (const std::exception& e) {
    return fail(ErrorKind::spec,
                Diagnostic{file, 0, 0, std::string("cannot parse this: ") + e.what(), "", ""});
  }
  return builder.take_root();
}

}  // namespace plimsoll
