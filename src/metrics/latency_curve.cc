#include "metrics/latency_curve.h"

#include <cstdint>
#include <functional>
#include <utility>

#include "metrics/traffic_groups.h"
#include "stats/percentile.h"

namespace plimsoll {

std::vector<LatencyCurve> latency_curves(const RequestTable& table, const MetricDefinitions& how,
                                         std::size_t first_row) {
  struct Latency {
    std::string name;
    double per_ms;
    std::function<std::int64_t(std::size_t row)> of;  ///< kNoValue: the request has none
  };
  const Latency latencies[]{
      {"TTFT", kUsPerMs, [&](std::size_t row) { return ttft_us(table, row, how); }},
      {"TPOT", kNsPerMs, [&](std::size_t row) { return tpot_ns(table, row, how); }},
      {"E2E latency", kUsPerMs, [&](std::size_t row) { return whole_us_of(table.e2e[row]); }}};
  std::vector<LatencyCurve> curves;
  for (const Latency& latency : latencies) {
    std::vector<std::int64_t> values;
    for (std::size_t row = first_row; row < table.size(); ++row) {
      const std::int64_t value = latency.of(row);
      if (value != kNoValue) values.push_back(value);
    }
    if (values.empty()) continue;
    Percentiles<std::int64_t> percentiles(std::move(values));
    LatencyCurve& curve = curves.emplace_back(LatencyCurve{latency.name, {}});
    for (int p = 1; p < 100; ++p) curve.ms.push_back(percentiles.at(p) / latency.per_ms);
  }
  return curves;
}

}  // namespace plimsoll
