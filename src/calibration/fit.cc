#include "calibration/fit.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "calibration/residuals.h"
#include "random/portable_math.h"
#include "stats/average.h"
#include "stats/percentile.h"
#include "stats/positive_definite.h"

namespace plimsoll {
namespace {

constexpr double kHuber = 1.345;  // 95 % efficiency where errors are normal
constexpr double kZ90 = 1.6449;   // half width of a 90 % interval in standard deviations
constexpr std::size_t kRounds = 20;
// Who is admitted when differs between a simulation and what was measured, and moves many cells at
// once: of twelve recordings of one law, intervals without it had the truth in 61 % of their terms.
constexpr double kWidening = 2;

double huber_loss(double z) {
  const double a = std::abs(z);
  return a <= kHuber ? a * a / 2 : kHuber * (a - kHuber / 2);
}

double huber_weight(double z) {
  const double a = std::abs(z);
  return a <= kHuber ? 1 : kHuber / a;
}

// A loss of so many cells may be so much larger by luck.
double luck_in(double loss, std::size_t cells) { return loss / 2 + static_cast<double>(cells) / 8; }

/// One fit: `x` are the free parameters in standard deviations of their priors.
class Fit {
  using Path = std::vector<std::vector<double>>;

 public:
  Fit(const Residuals& residuals, Prior prior, double widening)
      : residuals_(residuals), prior_(std::move(prior)), widening_(widening), x_(prior_.start()) {}

  void run() {
    Path path;
    bool settled = false;
    while (!settled && path.size() < kRounds) {
      settled = !improve();
      path.push_back(x_);
    }
    // Luck moves the minimum from round to round: the mean of the later ones is nearer to the truth
    // than any (Polyak and Juditsky, SIAM Journal on Control and Optimization 30, 1992).
    if (!settled) x_ = mean_of(path.begin() + kRounds / 2, path.end());
    const std::vector<double> now = residuals_at(x_);
    deviations_ = residuals_.deviations(now);
    cells_ = residuals_.by_cell(now);
    const auto covariance = inverse(information(slopes_at(x_), cells_, 0));
    for (std::size_t i = 0; i < x_.size(); ++i) {
      uncertainty_.push_back(covariance ? std::sqrt((*covariance)[i][i]) : 1);
    }
    if (covariance) pull_ = product(*covariance, x_);
  }

  /// How far the result is from what was measured, in squares of the deviations of `judge`.
  double misfit(const Fit& judge) const {
    double sum = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c)
      sum += huber_loss(cells_[c] / judge.deviations_[c]);
    return sum;
  }
  bool is_as_good_as(const Fit& best) const {
    const double least = best.misfit(best);
    return misfit(best) <= least + luck_in(least, cells_.size());
  }

  Correction correction() const { return prior_.correction(x_); }

  std::vector<CalibratedTerm> terms() const {
    std::vector<CalibratedTerm> out;
    const Correction best = correction();
    for (const CorrectionTerm& term : correction_terms()) {
      const double value = best.*term.field;
      out.push_back({value, value, false});
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
      CalibratedTerm& fitted = out[prior_.free[i].number];
      const double pull = pull_.empty() ? 0 : std::abs(pull_[i]);
      const double half = (kZ90 * widening_ * uncertainty_[i] + pull) * prior_.free[i].deviation;
      fitted.low = std::max(fitted.low - half, prior_.free[i].least);
      fitted.high += half;
      fitted.identified = uncertainty_[i] < 0.5;
    }
    return out;
  }

 private:
  std::vector<double> residuals_at(const std::vector<double>& x) const {
    return residuals_.at(prior_.correction(x));
  }

  static std::vector<double> mean_of(Path::const_iterator begin, Path::const_iterator end) {
    std::vector<double> mean(begin->size(), 0);
    for (auto at = begin; at != end; ++at) {
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] += (*at)[i] / static_cast<double>(end - begin);
      }
    }
    return mean;
  }

  // One step, damped until it helps; a whole one may also lose as much as luck explains. False when
  // there is none that matters.
  bool improve() {
    constexpr double kMatters = 1e-4;
    const std::vector<double> now = residuals_at(x_);
    deviations_ = residuals_.deviations(now);
    const std::vector<double> cells = residuals_.by_cell(now);
    const SquareMatrix slopes = slopes_at(x_);
    const double loss_now = loss(x_, cells);
    const double luck = luck_in(loss_now, cells.size());
    for (const double damping : {0.0, 1.0, 10.0, 100.0}) {
      const std::vector<double> next = step(slopes, cells, damping);
      double furthest = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        furthest = std::max(furthest, std::abs(next[i] - x_[i]));
      }
      if (furthest < kMatters) return false;
      const double loss_then = loss(next, residuals_.by_cell(residuals_at(next)));
      if (loss_then > loss_now + (damping == 0 ? luck : 0)) continue;
      x_ = next;
      return true;
    }
    return false;
  }

  double loss(const std::vector<double>& x, const std::vector<double>& cells) const {
    double sum = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) sum += huber_loss(cells[c] / deviations_[c]);
    for (const double z : x) sum += z * z / 2;
    return sum;
  }

  // By parameter and cell. Wide, and to both sides: a small change of a step makes as much luck in
  // who is admitted when as a great one.
  SquareMatrix slopes_at(const std::vector<double>& x) const {
    SquareMatrix out;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double h = prior_.free[j].difference;
      const auto beside = [&](double distance) {
        std::vector<double> there = x;
        there[j] += distance;
        return residuals_.by_cell(residuals_at(there));
      };
      std::vector<double> slope = beside(h);
      const std::vector<double> below = beside(-h);
      for (std::size_t c = 0; c < slope.size(); ++c) slope[c] = (slope[c] - below[c]) / (2 * h);
      out.push_back(std::move(slope));
    }
    return out;
  }

  double weight(std::size_t c, const std::vector<double>& cells) const {
    return huber_weight(cells[c] / deviations_[c]) / (deviations_[c] * deviations_[c]);
  }

  SquareMatrix information(const SquareMatrix& slopes, const std::vector<double>& cells,
                           double damping) const {
    const std::size_t n = slopes.size();
    SquareMatrix out(n, std::vector<double>(n, 0));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const double w = weight(c, cells);
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) out[a][b] += w * slopes[a][c] * slopes[b][c];
      }
    }
    for (std::size_t a = 0; a < n; ++a) out[a][a] = (1 + damping) * (out[a][a] + 1);
    return out;
  }

  std::vector<double> step(const SquareMatrix& slopes, const std::vector<double>& cells,
                           double damping) const {
    std::vector<double> downhill = mapped(x_, [](const double z) { return -z; });
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const double w = weight(c, cells);
      for (std::size_t a = 0; a < slopes.size(); ++a) downhill[a] -= w * slopes[a][c] * cells[c];
    }
    return moved(information(slopes, cells, damping), std::move(downhill));
  }

  // Where `left` x move = `right`. A parameter that would leave its bounds stops there, and the
  // others make the best of that.
  std::vector<double> moved(SquareMatrix left, std::vector<double> right) const {
    std::vector<double> next = x_;
    for (std::size_t stopped = 0; stopped <= x_.size(); ++stopped) {
      const auto inverted = inverse(left);
      if (!inverted) return x_;
      const std::vector<double> move = product(*inverted, right);
      for (std::size_t a = 0; a < next.size(); ++a) next[a] = x_[a] + move[a];
      const std::vector<double> within = prior_.within_bounds(next);
      if (within == next) return next;
      for (std::size_t a = 0; a < next.size(); ++a) {
        if (within[a] > next[a]) stop(a, within[a] - x_[a], &left, &right);
      }
      next = within;
    }
    return next;
  }

  // Parameter `a` moves by so much, whatever the others do.
  static void stop(std::size_t a, double move, SquareMatrix* left, std::vector<double>* right) {
    for (std::size_t b = 0; b < right->size(); ++b) {
      (*right)[b] -= (*left)[b][a] * move;
      (*left)[a][b] = (*left)[b][a] = 0;
    }
    (*left)[a][a] = 1;
    (*right)[a] = move;
  }

  const Residuals& residuals_;
  Prior prior_;
  double widening_;  ///< of intervals
  std::vector<double> x_;
  std::vector<double> cells_;        ///< residuals of the result
  std::vector<double> deviations_;   ///< of the cells
  std::vector<double> uncertainty_;  ///< of the result, in standard deviations of the priors
  std::vector<double> pull_;         ///< of the priors on the result, likewise, at least
};

// The factor on the steps of the base at which the median residual is zero; 1 where it is within
// 30 % already.
double factor_on_base(const Residuals& residuals) {
  constexpr double kFarOff = 0.3;    // natural logarithm
  constexpr double kFurthest = 4.6;  // a factor of 100
  const auto median_at = [&](double log_factor) {
    Correction scaled;
    scaled.scale = portable_exp(log_factor);
    return median_of(residuals.by_cell(residuals.at(scaled)));
  };
  const double now = median_at(0);
  if (std::abs(now) < kFarOff) return 1;
  double low = now < 0 ? 0 : -kFurthest;
  double high = now < 0 ? kFurthest : 0;
  while (high - low > 0.02) {
    const double middle = (low + high) / 2;
    (median_at(middle) < 0 ? low : high) = middle;
  }
  return portable_exp((low + high) / 2);
}

// From several starts: terms that a load does not tell apart make a valley, in which each search
// ends somewhere else. The first that no other one beats by more than luck, with intervals that
// reach to the others that explain as much.
Fit best_of(std::vector<Fit> searches, std::vector<CalibratedTerm>* terms) {
  for (Fit& search : searches) search.run();
  const Fit* found = &searches.front();
  for (const Fit& other : searches) {
    if (!found->is_as_good_as(other)) found = &other;
  }
  const Fit best = *found;
  *terms = best.terms();
  for (const Fit& other : searches) {
    if (!other.is_as_good_as(best)) continue;
    const std::vector<CalibratedTerm> theirs = other.terms();
    for (std::size_t i = 0; i < terms->size(); ++i) {
      (*terms)[i].low = std::min((*terms)[i].low, theirs[i].low);
      (*terms)[i].high = std::max((*terms)[i].high, theirs[i].high);
    }
  }
  return best;
}

double median_ape(const std::vector<double>& residuals, const Residuals& all, Measure what,
                  bool held_out) {
  std::vector<double> apes;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (all.measure(i) != what || all.is_held_out(i) != held_out) continue;
    apes.push_back(100 * std::abs(portable_exp(residuals[i]) - 1));
  }
  return Percentiles<double>(std::move(apes)).at(50);
}

std::vector<CalibrationErrors> errors_of(const Residuals& all, const std::vector<double>* before,
                                         const std::vector<double>& after) {
  std::vector<CalibrationErrors> out;
  for (const Measure what : kMeasures) {
    CalibrationErrors e;
    e.metric = name_of(what);
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (all.measure(i) == what) ++(all.is_held_out(i) ? e.held_out : e.fitted);
    }
    if (e.fitted + e.held_out == 0) continue;
    e.fitted_before = before ? median_ape(*before, all, what, false) : -1;
    e.held_out_before = before ? median_ape(*before, all, what, true) : -1;
    e.fitted_after = median_ape(after, all, what, false);
    e.held_out_after = median_ape(after, all, what, true);
    out.push_back(std::move(e));
  }
  return out;
}

bool are_steps(const std::vector<Experiment>& experiments) {
  for (const Experiment& experiment : experiments) {
    for (const MeasuredLatency& o : experiment.observations) {
      if (o.what != Measure::step) return false;
    }
  }
  return true;
}

}  // namespace

Result<Calibration> fit(const std::vector<Experiment>& experiments, bool correct_base) {
  const Residuals residuals(experiments, correct_base);
  const std::size_t n = residuals.fitted();
  const std::size_t enough = are_steps(experiments) ? kFewSteps : kFewMeasurements;
  if (!correct_base && n < enough) {
    return fail(ErrorKind::usage,
                "a law without a base needs " + std::to_string(enough) +
                    " measurements to fit, here are " + std::to_string(n),
                "leave out --no-base: a latency model knows more than so few measurements");
  }
  const double widening = are_steps(experiments) ? 1 : kWidening;
  std::vector<Fit> searches;
  if (correct_base) {
    const bool few = n < enough;
    searches.emplace_back(residuals, prior_of_correction(experiments, few, 1), widening);
    if (const double factor = factor_on_base(residuals); factor != 1)
      searches.emplace_back(residuals, prior_of_correction(experiments, few, factor), widening);
  } else {
    for (const double share : {0.5, 0.25, 0.1})
      searches.emplace_back(residuals, prior_of_law(experiments, share), widening);
  }
  Calibration out;
  out.correction = best_of(std::move(searches), &out.terms).correction();
  const std::vector<double> before = residuals.at({});
  const std::vector<double> after = residuals.at(out.correction);
  out.errors = errors_of(residuals, correct_base ? &before : nullptr, after);
  for (const Experiment& e : experiments) out.sources.push_back(e.source);
  return out;
}

}  // namespace plimsoll
