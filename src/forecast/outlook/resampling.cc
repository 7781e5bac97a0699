#include "forecast/outlook/resampling.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/error_law.h"
#include "forecast/outlook/season.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr double kClearGrowth = 3;  // standard errors of growth
constexpr double kSmoothing = 0.9;  // times the deviation, of one value

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
  return std::fabs(ty / tt) > kClearGrowth * error ? ty / tt : 0;
}

}  // namespace

Resampling::Resampling(std::span<const double> usual, std::size_t season, bool grows)
    : usual_(usual), season_(season), grows_(grows), middle_(season) {
  std::vector<double> steps, logs;
  for (std::size_t t = 0; t < usual.size(); ++t) {
    if (!(usual[t] > 0)) continue;
    steps.push_back(static_cast<double>(t));
    logs.push_back(portable_log(usual[t]));
  }
  if (logs.empty()) return;
  growth_ = clear_growth(steps, logs);
  std::vector<std::vector<double>> by_phase(season);
  for (std::size_t i = 0; i < logs.size(); ++i)
    by_phase[static_cast<std::size_t>(steps[i]) % season].push_back(logs[i] - growth_ * steps[i]);
  double squares = 0;
  for (std::size_t phase = 0; phase < season; ++phase) {
    std::vector<double>& of_phase = by_phase[phase];
    if (of_phase.empty()) continue;
    middle_[phase] = middle_of(of_phase);
    for (const double log : of_phase) squares += (log - middle_[phase]) * (log - middle_[phase]);
  }
  const auto n = static_cast<double>(logs.size());
  freedom_ = std::max(ErrorLaw::kFewestKnown, n - static_cast<double>(season));
  width_ = kSmoothing * portable_pow(n, -0.2) * std::sqrt(squares / freedom_);
}

std::vector<double> Resampling::path(std::size_t horizon, std::uint64_t seed,
                                     std::size_t number) const {
  RandomStream stream(seed, Purpose::forecast_path, number);
  // Of the same phase as a step of the history.
  const auto draw_like = [&](std::size_t step) {
    const std::size_t phase = step % season_;
    const std::size_t alike = (usual_.size() - phase + season_ - 1) / season_;
    const auto drawn = static_cast<std::size_t>(stream.uniform() * static_cast<double>(alike));
    return phase + season_ * std::min(drawn, alike - 1);
  };
  std::vector<std::size_t> sample;
  for (std::size_t t = 0; t < usual_.size(); ++t) sample.push_back(draw_like(t));
  const double spread = std::sqrt(freedom_ / (2 * draw_gamma(stream, freedom_ / 2)));
  std::vector<double> path;
  for (std::size_t h = 0; h < horizon; ++h) {
    const std::size_t now = usual_.size() + h;
    const std::size_t t = sample[draw_like(now)];
    const double middle = middle_[now % season_];
    const double until = static_cast<double>(grows_ ? now : usual_.size());
    if (!(usual_[t] > 0)) {
      path.push_back(0);
      continue;
    }
    const double came = portable_log(usual_[t]) - growth_ * static_cast<double>(t);
    const double off = spread * (came - middle + width_ * draw_normal(stream));
    path.push_back(portable_exp(middle + off + growth_ * until));
  }
  return path;
}

}  // namespace plimsoll
