// Any bytes as a stream of events, whole and cut into pieces: both must give the same events, and
// what is in them is read as parts of an answer.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "net/answer_reader.h"
#include "net/completion_api.h"

namespace {

std::vector<std::string> events_of(std::string_view text, std::size_t piece) {
  plimsoll::SseParser parser(1 << 16);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    parser.feed(text.substr(at, piece), [&](std::string_view data) { events.emplace_back(data); });
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  const std::vector<std::string> events = events_of(text, std::max<std::size_t>(text.size(), 1));
  if (events != events_of(text, data[0] % 16 + 1u)) std::abort();
  for (const std::string& event : events) plimsoll::read_answer_part(event);
  plimsoll::read_answer_part(text);
  return 0;
}
