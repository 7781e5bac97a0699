#include <algorithm>
#include <utility>

#include "base/lists.h"
#include "base/printable.h"
#include "base/text.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

// Stands for a required map that is not there.
const SpecNode kAbsentMap;

// The value as the user wrote it, cut to what fits a message.
std::string shown(const SpecNode& node) {
  constexpr std::size_t kLongest = 40;
  if (node.kind != SpecNode::Kind::scalar) return kind_name(node.kind);
  std::string text = node.text.substr(0, kLongest);
  if (node.text.size() > kLongest) text += "...";
  return node.quoted ? "the text \"" + text + "\"" : text;
}

std::string in_quotes(std::string_view key) { return "\"" + std::string(key) + "\""; }

// In one line, with single spaces between.
std::string words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::string out;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    out += (out.empty() ? "" : " ") + std::string(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string bounds(IntRange range) {
  const bool low = range.min != IntRange{}.min;
  const bool high = range.max != IntRange{}.max;
  if (low && high) {
    return "between " + std::to_string(range.min) + " and " + std::to_string(range.max);
  }
  if (low) return "at least " + std::to_string(range.min);
  return "at most " + std::to_string(range.max);
}

std::string bounds(NumberRange range) {
  const bool high = range.max != NumberRange{}.max;
  std::string text;
  if (range.min != NumberRange{}.min) {
    text = (range.above_min ? "greater than " : "at least ") + shortest(range.min);
    if (high) text += " and ";
  }
  if (high) text += "at most " + shortest(range.max);
  return text;
}

}  // namespace

SpecMap::SpecMap(SpecFile::State* state, const SpecNode* node, bool foreign)
    : state_(state), node_(node), foreign_(foreign) {
  if (!foreign_) state_->known_keys[node_];
}

void SpecMap::error_at(SpecPosition at, std::string message, std::string hint) {
  state_->diagnostics.push_back(
      {state_->file, at.line, at.column, std::move(message), std::move(hint), {}});
}

const SpecNode* SpecMap::find(std::string_view key) {
  if (!foreign_) {
    state_->known_keys[node_].add(key);
  }
  const SpecNode* child = node_->child(key);
  if (child == nullptr || child->kind != SpecNode::Kind::null) return child;
  // An empty value would otherwise fall back to a default in silence.
  if (!foreign_) {
    error_at(child->key_at, in_quotes(key) + " has no value", "give it a value or remove the key");
  }
  return nullptr;
}

const SpecNode* SpecMap::require(std::string_view key, const char* what) {
  const std::size_t before = state_->diagnostics.size();
  const SpecNode* node = find(key);
  // The absence of a map, or an empty value, has been reported already.
  if (node == nullptr && node_ != &kAbsentMap && state_->diagnostics.size() == before) {
    error_at(node_->at, "missing key " + in_quotes(key), "add " + std::string(key) + ": " + what);
  }
  return node;
}

bool SpecMap::read_text(const SpecNode& node, std::string_view key, std::string* value) {
  if (node.kind != SpecNode::Kind::scalar) {
    error_at(node.at, in_quotes(key) + " must be text, got " + shown(node));
    return false;
  }
  *value = node.text;
  const std::string fault = fault_of_name(node.text);
  if (!fault.empty()) error_at(node.at, in_quotes(key) + " " + fault, kOneLine);
  return fault.empty();
}

bool SpecMap::read_choice(const SpecNode& node, std::string_view key,
                          const std::vector<std::string>& names, std::string* value) {
  if (!read_text(node, key, value)) return false;
  if (contains(names, *value)) return true;
  error_at(node.at, in_quotes(key) + " cannot be " + shown(node), suggestion(*value, names));
  return false;
}

bool SpecMap::read_integer(const SpecNode& node, std::string_view key, IntRange range,
                           std::int64_t* value) {
  long long parsed = 0;
  if (node.kind != SpecNode::Kind::scalar || node.quoted || !parse_int(node.text, &parsed)) {
    error_at(node.at, in_quotes(key) + " must be a whole number, got " + shown(node));
    return false;
  }
  if (parsed < range.min || parsed > range.max) {
    error_at(node.at, in_quotes(key) + " must be " + bounds(range) + ", got " + shown(node));
    return false;
  }
  *value = parsed;
  return true;
}

bool SpecMap::read_number(const SpecNode& node, std::string_view key, NumberRange range,
                          double* value) {
  double parsed = 0;
  if (node.kind != SpecNode::Kind::scalar || node.quoted || !parse_double(node.text, &parsed)) {
    error_at(node.at, in_quotes(key) + " must be a number, got " + shown(node));
    return false;
  }
  if (parsed < range.min || parsed > range.max || (range.above_min && parsed == range.min)) {
    error_at(node.at, in_quotes(key) + " must be " + bounds(range) + ", got " + shown(node));
    return false;
  }
  *value = parsed;
  return true;
}

bool SpecMap::read_flag(const SpecNode& node, std::string_view key, bool* value) {
  if (node.kind != SpecNode::Kind::scalar || node.quoted ||
      (node.text != "true" && node.text != "false")) {
    error_at(node.at, in_quotes(key) + " must be true or false, got " + shown(node));
    return false;
  }
  *value = node.text == "true";
  return true;
}

bool SpecMap::check_map(const SpecNode& node, std::string_view key) {
  if (node.kind == SpecNode::Kind::map) return true;
  error_at(node.at, in_quotes(key) + " must hold keys and values, got " + shown(node));
  return false;
}

std::string SpecMap::text(std::string_view key) {
  std::string value;
  const SpecNode* node = require(key, "<text>");
  if (node != nullptr && read_text(*node, key, &value) && value.empty()) {
    error_at(node->at, in_quotes(key) + " is empty", "give it a value");
  }
  return value;
}

std::optional<std::string> SpecMap::optional_text(std::string_view key) {
  std::string value;
  const SpecNode* node = find(key);
  if (node == nullptr || !read_text(*node, key, &value)) return std::nullopt;
  return value;
}

std::string SpecMap::prose(std::string_view key) {
  const SpecNode* node = require(key, "<text>");
  if (node == nullptr) return {};
  SpecNode line = *node;
  line.text = words_of(node->text);
  std::string value;
  read_text(line, key, &value);
  return value;
}

std::optional<std::string> SpecMap::optional_prose(std::string_view key) {
  return has(key) ? std::optional(prose(key)) : std::nullopt;
}

std::string SpecMap::choice(std::string_view key, const std::vector<std::string>& names) {
  std::string value;
  if (const SpecNode* node = require(key, join(names, " | ").c_str())) {
    if (!read_choice(*node, key, names, &value)) return {};
  }
  return value;
}

std::optional<std::string> SpecMap::optional_choice(std::string_view key,
                                                    const std::vector<std::string>& names) {
  std::string value;
  const SpecNode* node = find(key);
  if (node == nullptr || !read_choice(*node, key, names, &value)) return std::nullopt;
  return value;
}

std::int64_t SpecMap::integer(std::string_view key, IntRange range) {
  std::int64_t value = 0;
  if (const SpecNode* node = require(key, "<whole number>"))
    read_integer(*node, key, range, &value);
  return value;
}

std::optional<std::int64_t> SpecMap::optional_integer(std::string_view key, IntRange range) {
  std::int64_t value = 0;
  const SpecNode* node = find(key);
  if (node == nullptr || !read_integer(*node, key, range, &value)) return std::nullopt;
  return value;
}

double SpecMap::number(std::string_view key, NumberRange range) {
  double value = 0;
  if (const SpecNode* node = require(key, "<number>")) read_number(*node, key, range, &value);
  return value;
}

std::optional<double> SpecMap::optional_number(std::string_view key, NumberRange range) {
  double value = 0;
  const SpecNode* node = find(key);
  if (node == nullptr || !read_number(*node, key, range, &value)) return std::nullopt;
  return value;
}

bool SpecMap::flag(std::string_view key) {
  bool value = false;
  if (const SpecNode* node = require(key, "true | false")) read_flag(*node, key, &value);
  return value;
}

std::optional<bool> SpecMap::optional_flag(std::string_view key) {
  bool value = false;
  const SpecNode* node = find(key);
  if (node == nullptr || !read_flag(*node, key, &value)) return std::nullopt;
  return value;
}

SpecMap SpecMap::map(std::string_view key) {
  const SpecNode* node = require(key, "<keys and values>");
  const bool usable = node != nullptr && check_map(*node, key);
  return SpecMap(state_, usable ? node : &kAbsentMap, foreign_);
}

std::optional<SpecMap> SpecMap::optional_map(std::string_view key) {
  const SpecNode* node = find(key);
  if (node == nullptr || !check_map(*node, key)) return std::nullopt;
  return SpecMap(state_, node, foreign_);
}

std::vector<const SpecNode*> SpecMap::elements(std::string_view key, const char* what) {
  std::vector<const SpecNode*> out;
  const SpecNode* node = require(key, what);
  if (node == nullptr) return out;
  if (node->kind != SpecNode::Kind::list) {
    error_at(node->at, in_quotes(key) + " must be a list, got " + shown(*node));
    return out;
  }
  for (const SpecNode& child : node->children) out.push_back(&child);
  return out;
}

std::vector<SpecMap> SpecMap::maps(std::string_view key) {
  std::vector<SpecMap> out;
  for (const SpecNode* node : elements(key, "<list>")) {
    if (check_map(*node, key)) out.push_back(SpecMap(state_, node, foreign_));
  }
  return out;
}

std::vector<double> SpecMap::numbers(std::string_view key, NumberRange range) {
  std::vector<double> out;
  for (const SpecNode* node : elements(key, "[<numbers>]")) {
    double value = 0;
    if (read_number(*node, key, range, &value)) out.push_back(value);
  }
  return out;
}

std::vector<std::string> SpecMap::texts(std::string_view key) {
  std::vector<std::string> out;
  for (const SpecNode* node : elements(key, "[<texts>]")) {
    std::string value;
    if (read_text(*node, key, &value)) out.push_back(std::move(value));
  }
  return out;
}

std::vector<bool> SpecMap::flags(std::string_view key) {
  std::vector<bool> out;
  for (const SpecNode* node : elements(key, "[<true or false>]")) {
    bool value = false;
    if (read_flag(*node, key, &value)) out.push_back(value);
  }
  return out;
}

bool SpecMap::has(std::string_view key) { return find(key) != nullptr; }

bool SpecMap::has_map(std::string_view key) {
  const SpecNode* node = find(key);
  return node != nullptr && node->kind == SpecNode::Kind::map;
}

bool SpecMap::has_list(std::string_view key) {
  const SpecNode* node = find(key);
  return node != nullptr && node->kind == SpecNode::Kind::list;
}

std::vector<std::string> SpecMap::keys() {
  return keys_like([](std::string_view) { return true; });
}

std::vector<std::string> SpecMap::keys_like(bool (*is_known)(std::string_view key)) {
  std::vector<std::string> out;
  for (const SpecNode& child : node_->children) {
    if (!is_known(child.key)) continue;
    out.push_back(child.key);
    const std::string fault = fault_of_name(child.key);
    if (!fault.empty())
      error_at(child.key_at, "the key " + in_quotes(child.key) + " " + fault, kOneLine);
  }
  if (!foreign_) {
    SpecFile::KnownKeys& known = state_->known_keys[node_];
    for (const std::string& key : out) known.add(key);
  }
  return out;
}

void SpecMap::accept_foreign_keys() {
  foreign_ = true;
  state_->known_keys.erase(node_);
}

void SpecMap::error(std::string_view key, std::string message, std::string hint) {
  const SpecNode* child = node_->child(key);
  error_at(child != nullptr ? child->at : node_->at, std::move(message), std::move(hint));
}

}  // namespace plimsoll
