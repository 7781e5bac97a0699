#include "workload/json_line.h"

#include <algorithm>

namespace plimsoll {

void JsonLine::skip_space() { at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size()); }

bool JsonLine::take(char c) {
  skip_space();
  if (at_ == line_.size() || line_[at_] != c) return false;
  at_ += 1;
  skip_space();
  return true;
}

bool JsonLine::take_string(std::string_view* text) {
  skip_space();
  if (at_ == line_.size() || line_[at_] != '"') return false;
  const std::size_t end = line_.find_first_of("\"\\", at_ + 1);
  if (end == std::string_view::npos || line_[end] != '"') return false;
  *text = line_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return true;
}

bool JsonLine::take_number(std::string_view* text) {
  skip_space();
  const std::size_t end = std::min(line_.find_first_not_of("+-.0123456789eE", at_), line_.size());
  if (end == at_) return false;
  *text = line_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool JsonLine::at_end() {
  skip_space();
  return at_ == line_.size();
}

}  // namespace plimsoll
