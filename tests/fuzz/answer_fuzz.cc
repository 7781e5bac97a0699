// Can any answer of a server do harm, streamed or whole, in whatever pieces it comes?
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/answer_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plimsoll;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = 1 + data[0] % 64;
  for (const bool stream : {true, false}) {
    AnswerReader reader({stream, true, true});
    Time now;
    bool goes_on = true;
    for (std::size_t at = 0; at < text.size() && goes_on; at += piece) {
      now = now + Duration{1000};
      goes_on = reader.take(text.substr(at, piece), now, [](Duration) {});
    }
    if (goes_on) (void)reader.finish(now);
  }
  return 0;
}
