#include "spec/spec_file.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// A file with more errors is not the file its author believes it is.
constexpr std::size_t kMaxReported = 20;

}  // namespace

Result<SpecFile> SpecFile::parse(const std::string& text, std::string file, Top top) {
  TRY(root, parse_spec(text, file));
  const bool listed = top == Top::map_or_list && root.kind == SpecNode::Kind::list;
  if (root.kind != SpecNode::Kind::map && !listed) {
    const bool empty = root.kind == SpecNode::Kind::null;
    return fail(
        ErrorKind::spec,
        Diagnostic{file, empty ? 0 : root.at.line, root.at.column,
                   empty ? "the file is empty"
                         : std::string("expected keys and values at the top level, found ") +
                               kind_name(root.kind),
                   "", empty ? "" : source_line(text, root.at)});
  }
  auto state = std::make_unique<State>();
  state->file = std::move(file);
  state->text = without_bom(text);
  state->root = std::make_shared<const SpecNode>(std::move(root));
  return SpecFile(std::move(state));
}

Result<SpecFile> SpecFile::read(const std::string& path, Top top) {
  TRY(text, read_file(path));
  return parse(text, path, top);
}

SpecFile SpecFile::unread() const {
  auto state = std::make_unique<State>();
  state->file = state_->file;
  state->text = state_->text;
  state->root = state_->root;
  return SpecFile(std::move(state));
}

SpecMap SpecFile::top() { return SpecMap(state_.get(), state_->root.get(), false); }

bool SpecFile::is_list() const { return state_->root->kind == SpecNode::Kind::list; }

std::vector<SpecMap> SpecFile::top_maps() {
  std::vector<SpecMap> out;
  for (const SpecNode& child : state_->root->children) {
    if (child.kind == SpecNode::Kind::map) {
      out.push_back(SpecMap(state_.get(), &child, false));
      continue;
    }
    state_->diagnostics.push_back(
        {state_->file,
         child.at.line,
         child.at.column,
         std::string("expected keys and values, found ") + kind_name(child.kind),
         {},
         {}});
  }
  return out;
}

bool SpecFile::ok() const { return state_->diagnostics.empty(); }

std::optional<Error> SpecFile::take_error() {
  std::vector<Diagnostic> all = std::move(state_->diagnostics);
  state_->diagnostics.clear();
  for (const auto& [node, known] : state_->known_keys) {
    bool listed = false;  // the keys that there are: once will do
    for (const SpecNode& child : node->children) {
      if (known.seen.contains(child.key)) continue;
      const bool is_far = nearest_name(child.key, known.names).empty();
      const bool is_listed = is_far && std::exchange(listed, true);
      all.push_back({state_->file,
                     child.key_at.line,
                     child.key_at.column,
                     "unknown key \"" + child.key + "\"",
                     is_listed ? std::string() : suggestion(child.key, known.names),
                     {}});
    }
  }
  if (all.empty()) return std::nullopt;
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  // A key that is asked for twice reports its error twice.
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Diagnostic& a, const Diagnostic& b) {
                          return std::tie(a.line, a.column, a.message) ==
                                 std::tie(b.line, b.column, b.message);
                        }),
            all.end());
  if (all.size() > kMaxReported) {
    const std::size_t more = all.size() - kMaxReported;
    all.resize(kMaxReported);
    all.push_back({state_->file, 0, 0, "and " + std::to_string(more) + " more errors", {}, {}});
  }
  for (Diagnostic& d : all) {
    if (d.line > 0) d.source_line = source_line(state_->text, {d.line, d.column});
  }
  return Error{ErrorKind::spec, std::move(all)};
}

}  // namespace plimsoll
