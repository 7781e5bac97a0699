// Any bytes as the text of --think-time-dist; what is accepted can be drawn from.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "workload/think_time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto think = plimsoll::parse_think_time(text);
  if (!think) {
    plimsoll::format(think.error());
    return 0;
  }
  for (std::uint64_t i = 0; i < 8; ++i) {
    const auto drawn = think->draw(plimsoll::RandomStream(1, plimsoll::Purpose::think_time, i));
    if (drawn < think->shortest() || drawn > plimsoll::kMostThinkTime) std::abort();
  }
  return 0;
}
