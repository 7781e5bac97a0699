#include "spec/yaml_writer.h"

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::size_t kWidth = 100;

}  // namespace

void YamlWriter::number(std::string_view key, double value) { scalar(key, shortest(value)); }

void YamlWriter::begin_line(std::string_view key) {
  const std::size_t indent = 2 * depth_ - (first_of_item_ ? 2 : 0);
  out_.append(indent, ' ');
  if (first_of_item_) out_ += "- ";
  first_of_item_ = false;
  out_ += yaml_text(key);
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
