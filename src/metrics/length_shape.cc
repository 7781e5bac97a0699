#include "metrics/length_shape.h"

#include <algorithm>
#include <numeric>

#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostBins = 14;

// The least of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
std::int64_t round_step(double least) {
  std::int64_t step = 1;
  for (int i = 0; static_cast<double>(step) < least; ++i)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

// Where bins begin: the first one holds all below the second, the last one all above.
std::vector<std::int64_t> equal_steps(double low, double high) {
  const std::int64_t step = round_step((high - low) / static_cast<double>(kMostBins - 2));
  std::vector<std::int64_t> starts;
  for (std::int64_t at = static_cast<std::int64_t>(low) / step * step;
       static_cast<double>(at) <= high; at += step) {
    starts.push_back(at);
  }
  return starts;
}

std::vector<std::int64_t> powers_of_two(double low, double high) {
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 1; static_cast<double>(at) <= high; at *= 2) {
    if (static_cast<double>(2 * at) > low) starts.push_back(at);
  }
  // More than are worth a line each: the shortest ones share the first bin.
  if (starts.size() > static_cast<std::size_t>(kMostBins)) {
    starts.erase(starts.begin(), starts.end() - kMostBins);
  }
  return starts;
}

std::vector<HistogramBin> histogram(const std::vector<std::int32_t>& tokens, const LengthShape& s,
                                    double p1, double p5) {
  // Most of the values decide the form, so that a few strays do not squeeze the rest.
  constexpr double kWide = 16;
  const bool wide = s.p95 > kWide * std::max(p5, 1.0);
  const std::vector<std::int64_t> starts = wide ? powers_of_two(p1, s.p99) : equal_steps(p1, s.p99);
  std::vector<HistogramBin> bins;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    bins.push_back({starts[i], i + 1 < starts.size() ? starts[i + 1] - 1 : s.max, 0});
  }
  bins.front().low = std::min(bins.front().low, s.min);
  for (const std::int32_t count : tokens) {
    const auto next = std::upper_bound(starts.begin() + 1, starts.end(), std::int64_t{count});
    bins[static_cast<std::size_t>(next - starts.begin() - 1)].count += 1;
  }
  return bins;
}

}  // namespace

LengthShape length_shape(std::vector<std::int32_t> tokens) {
  LengthShape out;
  if (tokens.empty()) return out;
  out.total = std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
  out.mean = static_cast<double>(out.total) / static_cast<double>(tokens.size());
  const auto [least, greatest] = std::minmax_element(tokens.begin(), tokens.end());
  out.min = *least;
  out.max = *greatest;
  Percentiles<std::int32_t> percentiles(tokens);
  out.p50 = percentiles.at(50);
  out.p90 = percentiles.at(90);
  out.p95 = percentiles.at(95);
  out.p99 = percentiles.at(99);
  out.histogram = histogram(tokens, out, percentiles.at(1), percentiles.at(5));
  return out;
}

}  // namespace plimsoll
