#include "metrics/latency.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr double kPercentiles[] = {50, 90, 95, 99};  ///< of a LatencySummary

}  // namespace

// Sources, read in 2026: vLLM, vllm/v1/metrics and vllm/benchmarks/serve.py; GuideLLM, request
// statistics and benchmark metrics; inference-perf, docs/reference/metrics.md; AIPerf, metrics
// reference.
const std::vector<MetricDefinitions>& metric_definitions() {
  static const std::vector<MetricDefinitions> rows{
      {.name = "vllm", .help = "the metrics of a vLLM server, as Prometheus reads them"},
      {.name = "vllm-bench",
       .help = "vllm bench serve",
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
      {.name = "guidellm",
       .help = "GuideLLM",
       .itl = ItlOver::requests_by_tokens,
       .tpot_counts_first_token = true,
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
      {.name = "inference-perf",
       .help = "inference-perf",
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
      {.name = "aiperf",
       .help = "AIPerf",
       .itl = ItlOver::requests,
       .ttft_of_completed = true,
       .rates_from_first_arrival = true},
  };
  return rows;
}

const MetricDefinitions& metric_definitions(std::string_view name) {
  return *std::ranges::find(metric_definitions(), name, &MetricDefinitions::name);
}

GroupedRows::GroupedRows(std::span<const std::int32_t> group, std::size_t groups,
                         std::size_t first_row)
    : begin_(groups + 1, 0) {
  for (std::size_t row = first_row; row < group.size(); ++row) {
    if (group[row] >= 0) begin_[static_cast<std::size_t>(group[row]) + 1] += 1;
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  rows_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t row = first_row; row < group.size(); ++row) {
    if (group[row] < 0) continue;
    rows_[next[static_cast<std::size_t>(group[row])]++] = static_cast<std::uint32_t>(row);
  }
}

LatencySummary latency_of(std::vector<std::int64_t> values, double per_ms) {
  LatencySummary s;
  const std::int64_t sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  s.mean_ms = ratio_or_zero(sum, std::ssize(values)) / per_ms;
  Percentiles<std::int64_t> of(std::move(values));
  of.prepare(kPercentiles);
  s.p50_ms = of.at(50) / per_ms;
  s.p90_ms = of.at(90) / per_ms;
  s.p95_ms = of.at(95) / per_ms;
  s.p99_ms = of.at(99) / per_ms;
  return s;
}

LatencySummary latency_of(const ItlHistogram& gaps) {
  const std::vector<double> us = gaps.percentiles_us(kPercentiles);
  return {gaps.mean_us() / 1000, us[0] / 1000, us[1] / 1000, us[2] / 1000, us[3] / 1000};
}

LatencySummary latency_of(std::vector<WeightedNs> values) {
  std::ranges::sort(values, {}, &WeightedNs::ns);
  std::vector<std::int64_t> up_to;  // how many there are up to and with each value
  std::int64_t count = 0;
  double sum = 0;
  for (const WeightedNs& value : values) {
    up_to.push_back(count += value.weight);
    sum += static_cast<double>(value.ns) * static_cast<double>(value.weight);
  }
  if (count == 0) return {};
  const auto ranked = [&](std::int64_t rank) {
    const auto it = std::ranges::upper_bound(up_to, rank);
    return static_cast<double>(values[static_cast<std::size_t>(it - up_to.begin())].ns);
  };
  const auto percentile_ms = [&](double p) {
    const double rank = p / 100 * static_cast<double>(count - 1);
    const auto lower = static_cast<std::int64_t>(rank);
    const double low = ranked(lower);
    const double high = ranked(std::min(lower + 1, count - 1));
    return (low + (rank - static_cast<double>(lower)) * (high - low)) / 1e6;
  };
  return {sum / static_cast<double>(count) / 1e6, percentile_ms(50), percentile_ms(90),
          percentile_ms(95), percentile_ms(99)};
}

}  // namespace plimsoll
