// Any bytes: a workload or an error, never a crash.
#include <cstdint>
#include <string>

#include "workload/trace_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto format : {plimsoll::TraceFormat::mooncake, plimsoll::TraceFormat::sharegpt}) {
    auto lines = plimsoll::LineReader::over(std::string(data, data + size), "fuzz");
    if (!lines) return 0;
    auto workload = plimsoll::read_trace(std::move(*lines), format);
    if (!workload) plimsoll::format(workload.error());
  }
  return 0;
}
