#include "forecast/outlook/log_scale.h"

#include <algorithm>

#include "base/lists.h"
#include "random/portable_math.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kPause = 0.02;  // of the middle of those that are not zero
constexpr double kOften = 0.1;   // of all values
constexpr double kLargestLog = 100;

}  // namespace

LogScale::LogScale(std::span<const double> values) {
  std::vector<double> positive;
  for (const double v : values) {
    if (v > 0) positive.push_back(v);
  }
  unit_ = median_of(positive);
  const auto pauses_in = [&](std::span<const double> some) {
    const auto pauses = std::ranges::count_if(some, [&](double v) { return is_pause(v); });
    return some.empty() ? 0 : static_cast<double>(pauses) / static_cast<double>(some.size());
  };
  const double share = pauses_in(values);
  if (share > 0) floor_ = share > kOften ? 1 : 0.1;
  std::span<const double> since_first = values;
  while (!since_first.empty() && is_pause(since_first.front()))
    since_first = since_first.subspan(1);
  while (!since_first.empty() && is_pause(since_first.back()))
    since_first = since_first.first(since_first.size() - 1);
  comes_and_goes_ = pauses_in(since_first) > kOften;
}

std::vector<double> LogScale::logs_of(std::span<const double> values) const {
  return mapped(values, [&](const double v) {
    return unit_ > 0 ? portable_log((v / unit_ + floor_) / (1 + floor_)) : 0;
  });
}

double LogScale::value_of(double log) const {
  const double units = portable_exp(std::min(log, kLargestLog)) * (1 + floor_) - floor_;
  return unit_ * std::max(0.0, units);
}

bool LogScale::is_pause(double value) const { return value < kPause * unit_; }

double LogScale::times(double log, double before) const {
  const double was = value_of(before);
  const double is = value_of(log);
  if (floor_ == 0 || is <= 0) return portable_exp(log - before);
  return is / std::max(was, kPause * unit_);
}

}  // namespace plimsoll
