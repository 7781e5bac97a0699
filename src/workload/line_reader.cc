#include "workload/line_reader.h"

#include <algorithm>

#include "base/printable.h"

namespace plimsoll {

Result<LineReader> LineReader::open(const std::string& path) {
  TRY(bytes, open_byte_stream(path));
  return LineReader(std::move(bytes), path);
}

Result<LineReader> LineReader::over(std::string text, std::string name) {
  TRY(bytes, memory_byte_stream(std::move(text), name));
  return LineReader(std::move(bytes), std::move(name));
}

// Sets line_ to the next line up to its LF. The common line lies within one piece and is not
// copied.
Result<bool> LineReader::take_line() {
  joined_.clear();
  for (;;) {
    const std::size_t end = chunk_.find('\n');
    if (joined_.size() + std::min(end, chunk_.size()) > kMaxLineBytes) {
      return fail_at(ErrorKind::spec, file_, line_number_,
                     "the line is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB",
                     "is this really a text file with one request per line?");
    }
    if (end != std::string_view::npos) {
      line_ = chunk_.substr(0, end);
      chunk_.remove_prefix(end + 1);
      if (!joined_.empty()) line_ = joined_.append(line_);
      return true;
    }
    joined_.append(chunk_);
    TRY(more, bytes_->next());
    chunk_ = more;
    if (chunk_.empty()) {
      line_ = joined_;
      return !joined_.empty();
    }
  }
}

Result<bool> LineReader::next() {
  line_number_ += 1;
  Result<bool> more = take_line();
  if (!more || !*more) return more;
  if (line_number_ == 1) line_ = without_bom(line_);
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  const std::size_t bad = find_invalid_utf8(line_);
  if (bad != std::string_view::npos) {
    return error(bad + 1, "this is not UTF-8 text", "save the file with UTF-8 encoding");
  }
  return true;
}

tl::unexpected<Error> LineReader::error(std::size_t column, std::string message,
                                        std::string hint) const {
  constexpr std::size_t kShownBeyond = 200;  // a long line need not be copied whole
  return fail(ErrorKind::spec,
              Diagnostic{file_, line_number_, static_cast<int>(column), std::move(message),
                         std::move(hint), std::string(line_.substr(0, column + kShownBeyond))});
}

}  // namespace plimsoll
