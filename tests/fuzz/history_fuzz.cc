// Any bytes: a history or an error, never a crash.
#include <cstdint>
#include <string>

#include "forecast/history/history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto lines = plimsoll::LineReader::over(std::string(data, data + size), "fuzz");
  if (!lines) return 0;
  auto history = plimsoll::read_history(std::move(*lines), {true, true});
  if (!history) plimsoll::format(history.error());
  return 0;
}
