// Any bytes: a history or an error, never a crash.
#include <cstdint>
#include <string>

#include "forecast/history/history.h"
#include "forecast/history/latency_windows.h"
#include "forecast/history/prometheus.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (plimsoll::is_prometheus(text)) {
    auto rows = plimsoll::read_prometheus_rows(text, "fuzz", {});
    if (!rows) plimsoll::format(rows.error());
    auto windows = plimsoll::read_latency_windows(text, "fuzz");
    if (!windows) plimsoll::format(windows.error());
    return 0;
  }
  auto lines = plimsoll::LineReader::over(text, "fuzz");
  if (!lines) return 0;
  plimsoll::HistoryOptions options;
  options.zone = "UTC";
  options.fill_gaps = true;
  auto history = plimsoll::read_history(std::move(*lines), options);
  if (!history) plimsoll::format(history.error());
  return 0;
}
