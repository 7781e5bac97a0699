#include "net/answer_reader.h"

#include <algorithm>

#include "base/printable.h"
#include "net/foreign_text.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

}  // namespace

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

bool AnswerReader::fail(std::string reason, std::string detail) {
  if (problem_.reason.empty()) problem_ = {std::move(reason), std::move(detail)};
  return false;
}

bool AnswerReader::take(std::string_view bytes, Time now,
                        const std::function<void(Duration)>& on_gap) {
  bytes_ += std::ssize(bytes);
  if (bytes_ > kMostBytes) return fail("answer beyond 64 MiB");
  if (!how_.stream) {
    body_.append(bytes);
    return true;
  }
  const bool read =
      events_.feed(bytes, [&](std::string_view data) { take_event(data, now, on_gap); });
  if (!read) return fail("event beyond 1 MiB");
  return problem_.reason.empty();
}

void AnswerReader::take_event(std::string_view data, Time now,
                              const std::function<void(Duration)>& on_gap) {
  if (!problem_.reason.empty() || done_) return;
  if (data == "[DONE]") {
    done_ = true;
    return;
  }
  AnswerPart part;
  if (!take_part(data, &part) || !part.has_token) return;
  if (facts_.chunks > 0) on_gap(now - facts_.last_token);
  if (facts_.chunks == 0) facts_.first_token = now;
  facts_.last_token = now;
  facts_.chunks += 1;
  if (how_.keep_times) facts_.times.push_back(now);
}

bool AnswerReader::take_part(std::string_view json, AnswerPart* part) {
  auto read = read_answer_part(json);
  if (!read) return fail("not the JSON of an answer", foreign_text(json));
  *part = std::move(*read);
  if (!part->error.empty()) return fail("server error", foreign_text(part->error));
  if (part->usage) facts_.usage = *part->usage;
  if (!part->finish_reason.empty()) facts_.finish_reason = foreign_text(part->finish_reason);
  if (how_.keep_text) facts_.text += part->text;
  return true;
}

bool AnswerReader::finish(Time now) {
  if (!problem_.reason.empty()) return false;
  if (how_.stream) {
    if (!done_ && facts_.finish_reason.empty()) return fail("stream ended before the answer did");
    if (facts_.chunks == 0) return fail("answer without tokens");
    return true;
  }
  AnswerPart part;
  if (!take_part(body_, &part)) return false;
  if (!part.has_token && facts_.finish_reason.empty()) return fail("answer without tokens");
  facts_.last_token = now;
  facts_.chunks = 1;
  return true;
}

}  // namespace plimsoll
