#include "forecast/outlook/resampling.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/methods.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr double kClearly = 3;  // standard errors of growth

// Least squares of the values that are no pause, at their steps.
double clear_growth(std::span<const double> steps, std::span<const double> logs) {
  const auto n = static_cast<double>(steps.size());
  if (n < 8) return 0;
  double t_mean = 0, mean = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) t_mean += steps[i] / n, mean += logs[i] / n;
  double tt = 0, ty = 0, yy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double t = steps[i] - t_mean;
    const double y = logs[i] - mean;
    tt += t * t, ty += t * y, yy += y * y;
  }
  const double error = std::sqrt(std::max(0.0, yy - ty * ty / tt) / (n - 2) / tt);
  return std::fabs(ty / tt) > kClearly * error ? ty / tt : 0;
}

}  // namespace

Resampling::Resampling(std::span<const double> usual, std::size_t season, bool grows)
    : usual_(usual), season_(season), grows_(grows) {
  std::vector<double> steps, logs;
  for (std::size_t t = 0; t < usual.size(); ++t) {
    if (!(usual[t] > 0)) continue;
    steps.push_back(static_cast<double>(t));
    logs.push_back(portable_log(usual[t]));
  }
  if (logs.empty()) return;
  growth_ = clear_growth(steps, logs);
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] -= growth_ * steps[i];
  std::vector<double> sorted = logs;
  const double middle = middle_of(sorted);
  double squares = 0;
  for (const double log : logs) squares += (log - middle) * (log - middle);
  const auto n = static_cast<double>(logs.size());
  width_ = 0.9 * std::sqrt(squares / n) * portable_pow(n, -0.2);
  error_ = std::sqrt(squares) / n;
}

std::vector<double> Resampling::path(std::size_t horizon, std::uint64_t seed,
                                     std::size_t number) const {
  RandomStream stream(seed, Purpose::forecast_path, number);
  std::vector<double> path;
  const double level = error_ * draw_normal(stream);
  for (std::size_t h = 0; h < horizon; ++h) {
    const std::size_t now = usual_.size() + h;
    const std::size_t phase = now % season_;
    const std::size_t alike = (usual_.size() - phase + season_ - 1) / season_;
    const auto drawn = static_cast<std::size_t>(stream.uniform() * static_cast<double>(alike));
    const std::size_t t = phase + season_ * std::min(drawn, alike - 1);
    const double off = level + width_ * draw_normal(stream);
    const std::size_t until = grows_ ? now : usual_.size();
    path.push_back(usual_[t] * portable_exp(off + growth_ * static_cast<double>(until - t)));
  }
  return path;
}

}  // namespace plimsoll
