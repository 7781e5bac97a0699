#include "net/sse_parser.h"

#include <algorithm>

#include "base/utf8.h"

namespace plimsoll {

bool SseParser::feed(std::string_view bytes, const OnData& on_data) {
  while (!bytes.empty() && !refused_) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    refused_ = line_.size() + data_.size() + end > max_event_bytes_;
    if (refused_) break;
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(on_data);
  }
  return !refused_;
}

void SseParser::end_line(const OnData& on_data) {
  std::string_view line = line_;
  if (first_line_) line = without_bom(line);
  first_line_ = false;
  if (!line.empty()) {
    take_field(line);
  } else if (!data_.empty()) {
    on_data(std::string_view(data_).substr(0, data_.size() - 1));
    data_.clear();
  }
  line_.clear();
}

// "data: text", "data:text" or "data" alone. Names, ids and retry times say nothing of an answer.
void SseParser::take_field(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  if (line.substr(0, colon) != "data") return;
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  data_.append(value);
  data_ += '\n';
}

}  // namespace plimsoll
