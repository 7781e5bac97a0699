#include "metrics/over_time.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "metrics/traffic_groups.h"
#include "stats/percentile.h"
#include "stats/trend.h"

namespace plimsoll {
namespace {

// Of a stretch: enough for its p99 to be more than its longest request, nearly.
constexpr std::size_t kWanted = 100;
constexpr std::size_t kFewest = 20;
constexpr std::size_t kMostStretches = 60;
constexpr std::size_t kFewestStretches = 5;

bool is_of_delays(const SteadyState& state) {
  return state.reason.cause == SteadyCause::delay_rises ||
         state.reason.cause == SteadyCause::delay_begins_to_rise;
}

bool is_of_work(const SteadyState& state) {
  return state.verdict == SteadyVerdict::steady || state.verdict == SteadyVerdict::transient ||
         state.reason.cause == SteadyCause::work_grows;
}

}  // namespace

LatenciesOverTime latencies_over_time(const RequestTable& table, const MetricDefinitions& how,
                                      const SteadyState& state) {
  LatenciesOverTime out;
  if (table.size() == 0) return out;
  const Time first = table.arrival.front();
  const Duration span = table.arrival.back() - first;
  out.first_arrival_s = to_seconds(first - Time{});
  out.last_arrival_s = to_seconds(table.arrival.back() - Time{});
  out.warmup_s = out.first_arrival_s + state.warmup_s;
  const std::size_t count = std::min(kMostStretches, table.size() / kWanted);
  if (count < kFewestStretches || span.ns <= 0) return out;
  out.compares_delays = is_of_delays(state);
  if (out.compares_delays) {
    const std::size_t fifth = table.size() / 5;
    const auto at_s = [&](std::size_t row) { return to_seconds(table.arrival[row] - Time{}); };
    out.compared_s = {{out.first_arrival_s, at_s(fifth)},
                      {at_s(table.size() - fifth), out.last_arrival_s}};
  }
  for (const Stretch& stretch : {kMiddleThird, kLastQuarter}) {
    if (out.compares_delays || !is_of_work(state)) break;
    out.compared_s.emplace_back(out.first_arrival_s + stretch.from * to_seconds(span),
                                out.first_arrival_s + stretch.to * to_seconds(span));
  }
  out.width_s = to_seconds(span) / static_cast<double>(count);
  std::vector<std::int32_t> stretch_of(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double share = to_seconds(table.arrival[row] - first) / to_seconds(span);
    const auto stretch = static_cast<std::int32_t>(share * static_cast<double>(count));
    stretch_of[row] = std::min(stretch, static_cast<std::int32_t>(count) - 1);
  }
  const GroupedRows by_stretch(stretch_of, count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto rows = by_stretch.of(i);
    const double begin_s = out.first_arrival_s + static_cast<double>(i) * out.width_s;
    const auto ttft = values_of(rows, [&](std::uint32_t row) { return ttft_us(table, row, how); });
    if (ttft.size() < kFewest) continue;
    out.stretches.push_back(
        {begin_s, begin_s + out.width_s, latency_of(ttft, kUsPerMs),
         latency_of(values_of(rows, [&](std::uint32_t row) { return tpot_ns(table, row, how); }),
                    kNsPerMs)});
  }
  return out;
}

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
