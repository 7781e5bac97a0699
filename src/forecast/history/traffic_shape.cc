#include "forecast/history/traffic_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::size_t kFewestRequests = 100;
constexpr std::size_t kCells = 10;  // of a step
constexpr double kLeastCv = 0.05;   // of what a generator can draw
constexpr double kLargestCv = 10;

std::optional<double> cv_of(const std::vector<std::int32_t>& lengths) {
  const auto count = static_cast<double>(lengths.size());
  double mean = 0;
  for (const std::int32_t length : lengths) mean += length / count;
  if (mean <= 0) return std::nullopt;
  double variance = 0;
  for (const std::int32_t length : lengths) {
    variance += (length - mean) * (length - mean) / (count - 1);
  }
  return std::min(std::sqrt(variance) / mean, kLargestCv);
}

// Of whole steps; none where not every tenth of them has a request on average.
std::optional<double> arrival_cv_of(const std::vector<Time>& arrivals, Duration step) {
  const auto steps = static_cast<std::size_t>(arrivals.back().ns / step.ns);
  if (steps == 0) return std::nullopt;
  const double cell_ns = static_cast<double>(step.ns) / kCells;
  std::vector<double> counts(steps * kCells);
  for (const Time arrival : arrivals) {
    const auto cell = static_cast<std::size_t>(static_cast<double>(arrival.ns) / cell_ns);
    if (cell < counts.size()) counts[cell] += 1;
  }
  double variances = 0;
  double means = 0;
  for (std::size_t first = 0; first < counts.size(); first += kCells) {
    double mean = 0;
    for (std::size_t i = first; i < first + kCells; ++i) mean += counts[i] / kCells;
    for (std::size_t i = first; i < first + kCells; ++i) {
      variances += (counts[i] - mean) * (counts[i] - mean) / (kCells - 1);
    }
    means += mean;
  }
  if (means < static_cast<double>(steps)) return std::nullopt;
  return std::clamp(std::sqrt(variances / means), kLeastCv, kLargestCv);
}

}  // namespace

TrafficShape shape_of(const Workload& trace, Duration step) {
  if (trace.size() < kFewestRequests) return {};
  return {cv_of(trace.input_tokens), cv_of(trace.output_tokens),
          arrival_cv_of(trace.arrival, step)};
}

}  // namespace plimsoll
