// Can any metrics of a server do harm?
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/metrics_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto samples = plimsoll::read_metrics(text);
  for (const auto& [name, value] : samples) {
    (void)plimsoll::metric_sum(samples, name);
    (void)plimsoll::metric_label(samples, name.substr(0, name.find('{')), "model_name");
  }
  (void)plimsoll::prefix_hit_rate(samples, samples);
  return 0;
}
