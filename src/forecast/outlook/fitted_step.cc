#include "forecast/outlook/fitted_step.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {

FittedStep fit_step(std::span<const double> y, std::size_t from, std::size_t at, std::size_t to) {
  const auto n = static_cast<double>(to - from);
  double t_mean = 0, s_mean = 0, y_mean = 0;
  for (std::size_t t = from; t < to; ++t) {
    t_mean += static_cast<double>(t) / n;
    s_mean += (t >= at ? 1 : 0) / n;
    y_mean += y[t] / n;
  }
  double tt = 0, ts = 0, ss = 0, ty = 0, sy = 0, yy = 0;
  for (std::size_t t = from; t < to; ++t) {
    const double dt = static_cast<double>(t) - t_mean;
    const double ds = (t >= at ? 1 : 0) - s_mean;
    const double dy = y[t] - y_mean;
    tt += dt * dt, ts += dt * ds, ss += ds * ds, ty += dt * dy, sy += ds * dy, yy += dy * dy;
  }
  const double free = ss - ts * ts / tt;
  FittedStep step;
  step.size = (sy - ts * ty / tt) / free;
  step.squares = std::max(0.0, yy - ty * ty / tt - step.size * step.size * free);
  step.error = std::sqrt(step.squares / (n - 3) / free);
  return step;
}

}  // namespace plimsoll
