// Server-sent events, read as they arrive in pieces cut anywhere: lines that end in LF, CR or CRLF,
// comments, data of several lines, a byte order mark. Source: WHATWG HTML Living Standard, section
// 9.2.6, "Interpreting an event stream". Called for every piece of a streamed answer.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace plimsoll {

class SseParser {
 public:
  using OnData = std::function<void(std::string_view data)>;

  /// An event of more than `max_event_bytes` is refused, so that a server cannot fill the memory.
  explicit SseParser(std::size_t max_event_bytes = std::size_t{1} << 20)
      : max_event_bytes_(max_event_bytes) {}

  /// Calls `on_data` with the data of each event that is complete now; events without data are
  /// skipped. False once an event was refused: nothing is read from then on.
  bool feed(std::string_view bytes, const OnData& on_data);

 private:
  void end_line(const OnData& on_data);
  void take_field(std::string_view line);

  std::size_t max_event_bytes_;
  std::string line_;  ///< as far as it has come
  std::string data_;  ///< of the event so far, each line ended by LF
  bool first_line_ = true;
  bool after_cr_ = false;  ///< an LF that comes next belongs to the line end before
  bool refused_ = false;
};

}  // namespace plimsoll
