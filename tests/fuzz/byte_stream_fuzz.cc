// Any bytes, plain, gzip or zstd: lines or an error.
#include <cstdint>
#include <string>

#include "workload/line_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto lines = plimsoll::LineReader::over(std::string(data, data + size), "fuzz");
  if (!lines) return 0;
  for (;;) {
    auto more = lines->next();
    if (!more || !*more) return 0;
  }
}
