#include "spec/yaml_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kWidth = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words that some reader of YAML takes for a truth value or for nothing.
bool is_special(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords{"true", "false", "yes", "no",
                                                   "on",   "off",   "y",   "n"};
  const std::string word = to_lower(text);
  return word == "null" || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_plain(std::string_view text) {
  if (text.empty() || !is_letter(text.front()) || is_special(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '/';
  });
}

}  // namespace

std::string yaml_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void YamlWriter::number(std::string_view key, double value) { scalar(key, shortest(value)); }

void YamlWriter::begin_line(std::string_view key) {
  const std::size_t indent = 2 * depth_ - (first_of_item_ ? 2 : 0);
  out_.append(indent, ' ');
  if (first_of_item_) out_ += "- ";
  first_of_item_ = false;
  out_ += key;
  out_ += ':';
}

void YamlWriter::scalar(std::string_view key, std::string_view value) {
  begin_line(key);
  out_ += ' ';
  out_ += value;
  out_ += '\n';
}

void YamlWriter::flow(std::string_view key, const std::string& head,
                      const std::vector<std::string>& entries, const std::string& tail) {
  const std::size_t line_start = out_.size();
  begin_line(key);
  out_ += ' ' + head;
  std::size_t line = out_.size() - line_start;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string entry = entries[i] + (i + 1 < entries.size() ? "," : tail);
    if (line + 1 + entry.size() > kWidth) {
      out_ += "\n" + std::string(2 * depth_ + 2, ' ');
      line = 2 * depth_ + 2;
    } else if (i > 0) {
      out_ += ' ';
      line += 1;
    }
    out_ += entry;
    line += entry.size();
  }
  if (entries.empty()) out_ += tail;
  out_ += '\n';
}

void YamlWriter::open(std::string_view key) {
  begin_line(key);
  out_ += '\n';
  depth_ += 1;
}

void YamlWriter::begin_item() {
  depth_ += 1;
  first_of_item_ = true;
}

}  // namespace plimsoll
