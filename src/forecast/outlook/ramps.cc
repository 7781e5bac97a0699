#include "forecast/outlook/events.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "forecast/outlook/bends.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestAround = 14;  // steps before a ramp and since
constexpr std::size_t kShortest = 3;       // steps: what takes less is a step
constexpr std::size_t kLongest = 35;       // steps
constexpr std::size_t kSearched = 56;      // steps: what is longer is growth
constexpr std::size_t kRefined = 5;        // steps around what a straight line of logarithms finds
constexpr double kFarRamp = 16;            // square of standard errors
constexpr double kLeast = 0.14;            // 15 %

struct Fitted {
  Ramp ramp;
  double squares = 0;
};

// Sums of the values before each step, and of their products with the time.
class Search {
 public:
  explicit Search(std::span<const double> y) : n_(static_cast<double>(y.size())) {
    double mean = 0;
    for (const double value : y) mean += value / n_;
    values_.push_back(0);
    products_.push_back(0);
    for (std::size_t t = 0; t < y.size(); ++t) {
      const double off = y[t] - mean;
      const double from = static_cast<double>(t) - middle();
      values_.push_back(values_.back() + off);
      products_.push_back(products_.back() + from * off);
      tt_ += from * from;
      yy_ += off * off;
    }
  }

  // A ramp of the logarithms beside a slope, in the same time whatever its length. By the normal
  // equations of both, around their means.
  Fitted fit(std::size_t at, std::size_t steps) const {
    const auto d = static_cast<double>(steps);
    const double before = static_cast<double>(at) - 1 - middle();  // the time at which it is 0
    const double since = n_ - static_cast<double>(at + steps);
    const double mean = ((d + 1) / 2 + since) / n_;
    const double rr = (d + 1) * (2 * d + 1) / (6 * d) + since - n_ * mean * mean;
    const double rt =
        before * (d + 1) / 2 + (d + 1) * (2 * d + 1) / 6 + since * (before + d + 1 + middle()) / 2;
    const std::size_t end = at + steps;
    const double ry = (products_[end] - products_[at] - before * (values_[end] - values_[at])) / d +
                      values_.back() - values_[end];
    const double ty = products_.back();
    const double free = rr - rt * rt / tt_;
    const double size = (ry - rt * ty / tt_) / free;
    return {{at, steps, size}, yy_ - ty * ty / tt_ - size * size * free};
  }

 private:
  double middle() const { return (n_ - 1) / 2; }

  double n_;
  std::vector<double> values_;
  std::vector<double> products_;
  double tt_ = 0;
  double yy_ = 0;
};

// Those of a step or two are tried as well: what they explain best is no ramp.
std::optional<Fitted> roughly(std::span<const double> y) {
  const Search search(y);
  std::optional<Fitted> best;
  for (std::size_t steps = 1; steps <= kSearched; ++steps) {
    for (std::size_t at = kFewestAround; at + steps + kFewestAround <= y.size(); ++at) {
      const Fitted fitted = search.fit(at, steps);
      if (!best || fitted.squares < best->squares) best = fitted;
    }
  }
  return best;
}

// The best size of a ramp that rises as `ramp` does, beside a slope. Residuals where asked for.
Fitted fit_shape(std::span<const double> y, Ramp ramp, std::vector<double>* residuals = nullptr) {
  const auto n = static_cast<double>(y.size());
  const double middle = (n - 1) / 2;
  std::vector<double> shape;
  double y_mean = 0, r_mean = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    shape.push_back(reached(ramp, t) / ramp.log_size);
    y_mean += y[t] / n;
    r_mean += shape[t] / n;
  }
  double tt = 0, rt = 0, rr = 0, ty = 0, ry = 0, yy = 0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    const double dt = static_cast<double>(t) - middle;
    const double dr = shape[t] - r_mean;
    const double dy = y[t] - y_mean;
    tt += dt * dt, rt += dt * dr, rr += dr * dr, ty += dt * dy, ry += dr * dy, yy += dy * dy;
  }
  const double free = rr - rt * rt / tt;
  const double size = (ry - rt * ty / tt) / free;
  const double slope = (ty - size * rt) / tt;
  for (std::size_t t = 0; residuals != nullptr && t < y.size(); ++t) {
    residuals->push_back(y[t] - y_mean - slope * (static_cast<double>(t) - middle) -
                         size * (shape[t] - r_mean));
  }
  ramp.log_size = size;
  return {ramp, yy - ty * ty / tt - size * size * free};
}

Fitted best_near(std::span<const double> y, const Ramp& rough) {
  Fitted best = fit_shape(y, rough);
  const std::size_t fewest = rough.steps - std::min(rough.steps - 1, kRefined);
  for (std::size_t steps = fewest; steps <= rough.steps + kRefined; ++steps) {
    for (std::size_t at = std::max(kFewestAround, rough.at - kRefined);
         at <= rough.at + kRefined && at + steps + kFewestAround <= y.size(); ++at) {
      const Fitted fitted = fit_shape(y, {at, steps, rough.log_size});
      if (fitted.squares < best.squares) best = fitted;
    }
  }
  return best;
}

}  // namespace

double reached(const Ramp& ramp, std::size_t step) {
  if (step < ramp.at) return 0;
  if (step + 1 >= ramp.at + ramp.steps) return ramp.log_size;
  const double share = static_cast<double>(step - ramp.at + 1) / static_cast<double>(ramp.steps);
  return portable_log(1 + (portable_exp(ramp.log_size) - 1) * share);
}

std::optional<Ramp> find_ramp(std::span<const double> rest) {
  const std::size_t first = rest.size() - std::min(rest.size(), kMostSearched);
  const auto y = rest.subspan(first);
  const auto rough = roughly(y);
  if (!rough || rough->ramp.steps == kSearched || std::fabs(rough->ramp.log_size) < kLeast / 2)
    return std::nullopt;
  Fitted best = best_near(y, rough->ramp);
  if (best.ramp.steps < kShortest || best.ramp.steps > kLongest ||
      std::fabs(best.ramp.log_size) < kLeast)
    return std::nullopt;
  std::vector<double> residuals;
  fit_shape(y, best.ramp, &residuals);
  const double variance = best.squares / static_cast<double>(y.size() - 5) * lasting_of(residuals);
  if (!(squares_of_lines(y) - best.squares > kFarRamp * variance)) return std::nullopt;
  best.ramp.at += first;
  return best.ramp;
}

}  // namespace plimsoll
