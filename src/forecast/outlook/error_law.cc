#include "forecast/outlook/error_law.h"

#include <algorithm>
#include <cmath>

#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

enum class Shape { offset, noise, forgotten, walk, slope };

constexpr int kRounds = 400;
constexpr double kDoubt = 0.6;  // share of what stays, whether a part that lasts is there or not
constexpr std::size_t kMostLooks = 64;  // along one path, at one lag

// Student's t is a normal variable times this, one draw for a whole path: the deviation that was
// found is too small everywhere, or nowhere. A chi-square quantile by Wilson and Hilferty (1931).
double drawn_scale(double freedom, double normal) {
  constexpr double kLeast = 0.15;
  const double part = 2 / (9 * freedom);
  const double root = std::max(kLeast, 1 - part - normal * std::sqrt(part));
  return 1 / std::sqrt(root * root * root);
}

}  // namespace

void ErrorTable::add(std::span<const double> came, std::span<const double> expected) {
  steps = expected.size();
  for (std::size_t h = 0; h < steps; ++h) errors.push_back(came[h] - expected[h]);
}

double ErrorTable::size(std::size_t origin) const {
  double sum = 0;
  for (std::size_t h = 0; h < steps; ++h) sum += std::fabs(at(origin, h));
  return sum / static_cast<double>(steps);
}

double ErrorTable::mean_size() const {
  double sum = 0;
  for (std::size_t j = 0; j < origins(); ++j) sum += size(j);
  return sum / static_cast<double>(origins());
}

/// A mean square, and how many independent values it is worth.
struct ErrorLaw::Moment {
  double step = 0;  ///< ahead, from 1
  double lag = 0;   ///< 0: of errors; else of their changes over so many steps
  double mean_square = 0;
  double count = 0;
};

struct ErrorLaw::Part {
  Shape shape;
  double kept;  // from step to step, of what is forgotten

  // What is forgotten within days is seen often enough to be known.
  bool stays() const {
    return shape == Shape::offset || shape == Shape::walk || shape == Shape::slope;
  }

  // h steps ahead, h >= 1.
  double variance(double h) const {
    if (shape == Shape::forgotten) return 1 - portable_pow(kept, 2 * h);
    if (shape == Shape::walk) return h;
    return shape == Shape::slope ? h * h : 1;
  }

  // Steps after which it is another one.
  double lasts(double h) const {
    if (shape == Shape::noise) return 1;
    return shape == Shape::forgotten ? std::min(h, 1 / (1 - kept)) : h;
  }

  // Mean square of the change from h to h + lag.
  double change(double h, double lag) const {
    if (shape == Shape::offset) return 0;
    if (shape == Shape::noise) return 2;
    if (shape == Shape::forgotten)
      return variance(h + lag) + variance(h) * (1 - 2 * portable_pow(kept, lag));
    return shape == Shape::walk ? lag : lag * lag;
  }
};

const std::array<ErrorLaw::Part, ErrorLaw::kParts>& ErrorLaw::parts() {
  static constexpr std::array<Part, kParts> kAll{{{Shape::offset, 0},
                                                  {Shape::noise, 0},
                                                  {Shape::forgotten, 0.5},
                                                  {Shape::forgotten, 0.85},
                                                  {Shape::walk, 0},
                                                  {Shape::slope, 0}}};
  return kAll;
}

std::vector<std::size_t> ErrorLaw::spread_steps(std::size_t steps) {
  std::vector<std::size_t> some;
  for (std::size_t h = 0; h < steps; h += 1 + h / 4) some.push_back(h);
  if (!some.empty() && some.back() + 1 != steps) some.push_back(steps - 1);
  return some;
}

class ErrorLaw::MomentsOf {
 public:
  MomentsOf(const ErrorTable& table, std::span<const std::size_t> origin_at, std::size_t until)
      : table_(table), origin_at_(origin_at), until_(until) {}

  // Steps of row j whose outcome is known.
  std::size_t known(std::size_t j) const {
    return origin_at_[j] >= until_ ? 0 : std::min(table_.steps, until_ - origin_at_[j]);
  }

  void add_errors(std::size_t step, std::vector<Moment>* moments) const {
    double squares = 0;
    double count = 0;
    std::size_t last = 0;
    for (std::size_t j = 0; j < table_.origins(); ++j) {
      if (known(j) <= step) continue;
      squares += table_.at(j, step) * table_.at(j, step);
      count += 1;
      last = origin_at_[j];
    }
    if (count == 0) return;
    const double ahead = static_cast<double>(step + 1);
    const double span = static_cast<double>(last - origin_at_[0]) + ahead;
    moments->push_back({ahead, 0, squares / count, std::min(count, span / ahead)});
  }

  void add_changes(std::size_t lag, std::vector<Moment>* moments) const {
    double squares = 0;
    double count = 0;
    double ahead = 0;
    double rows = 0;
    std::size_t end = 0;
    for (std::size_t j = 0; j < table_.origins(); ++j) {
      if (known(j) <= lag) continue;
      const std::size_t looks = known(j) - lag;
      for (std::size_t h = 0; h < looks; h += looks / kMostLooks + 1) {
        const double change = table_.at(j, h + lag) - table_.at(j, h);
        squares += change * change;
        ahead += static_cast<double>(h + 1);
        count += 1;
      }
      rows += static_cast<double>(looks) / static_cast<double>(lag);
      end = std::max(end, origin_at_[j] + known(j));
    }
    if (count == 0) return;
    const double span = static_cast<double>(end - origin_at_[0]) / static_cast<double>(lag);
    moments->push_back(
        {ahead / count, static_cast<double>(lag), squares / count, std::min(rows, span)});
  }

 private:
  const ErrorTable& table_;
  std::span<const std::size_t> origin_at_;
  std::size_t until_;
};

ErrorLaw::ErrorLaw(const ErrorTable& errors, std::span<const std::size_t> origin_at,
                   std::size_t until, std::size_t steps) {
  const MomentsOf of(errors, origin_at, until);
  std::vector<Moment> moments;
  for (const std::size_t step : spread_steps(errors.steps)) {
    of.add_errors(step, &moments);
    if (step > 0) of.add_changes(step, &moments);
  }
  for (std::size_t j = 0; j < errors.origins(); ++j) {
    if (of.known(j) == 0) continue;
    origins_ += 1;
    span_ = static_cast<double>(origin_at[j] + of.known(j) - origin_at[0]);
  }
  fit(moments, errors.steps);
  find_deviations(steps);
}

// Nothing ever was wrong: all sizes stay 0.
void ErrorLaw::fit(std::vector<Moment> moments, std::size_t steps) {
  double largest = 0;
  for (const Moment& moment : moments) largest = std::max(largest, moment.mean_square);
  if (!(largest > 0)) return;
  // Changes that are nothing at all would have no likelihood.
  for (Moment& moment : moments) moment.mean_square = std::max(moment.mean_square, 1e-9 * largest);
  std::vector<std::array<double, kParts>> shapes(moments.size());
  for (std::size_t i = 0; i < moments.size(); ++i) {
    for (std::size_t p = 0; p < kParts; ++p) {
      const Moment& m = moments[i];
      const Part& part = parts()[p];
      shapes[i][p] = m.lag > 0 ? part.change(m.step, m.lag) : part.variance(m.step);
    }
  }
  for (std::size_t p = 0; p < kParts; ++p) {
    size_[p] = largest / (kParts * parts()[p].variance(static_cast<double>(steps)));
  }
  for (int round = 0; round < kRounds; ++round) {
    std::array<double, kParts> up{}, down{};
    for (std::size_t i = 0; i < moments.size(); ++i) {
      double modelled = 0;
      for (std::size_t p = 0; p < kParts; ++p) modelled += size_[p] * shapes[i][p];
      const double weight = moments[i].count / modelled;
      for (std::size_t p = 0; p < kParts; ++p) {
        up[p] += weight * shapes[i][p] * moments[i].mean_square / modelled;
        down[p] += weight * shapes[i][p];
      }
    }
    for (std::size_t p = 0; p < kParts; ++p) {
      if (down[p] > 0) size_[p] *= std::sqrt(up[p] / down[p]);
    }
  }
}

void ErrorLaw::find_deviations(std::size_t steps) {
  deviation_.assign(steps, 0);
  for (std::size_t h = 0; h < steps; ++h) {
    double sum = 0;
    for (std::size_t p = 0; p < kParts; ++p) {
      sum += size_[p] * parts()[p].variance(static_cast<double>(h + 1));
    }
    deviation_[h] = std::sqrt(sum);
  }
}

double ErrorLaw::stretches(std::size_t step) const {
  return std::max(1.0, std::min(origins_, span_ / static_cast<double>(step + 1)));
}

// Of a sum of mean squares (Satterthwaite 1946).
double ErrorLaw::effective(std::size_t step) const {
  const double h = static_cast<double>(step + 1);
  double sum = 0;
  double staying = 0;
  double doubt = 0;
  for (std::size_t p = 0; p < kParts; ++p) {
    const double part = size_[p] * parts()[p].variance(h);
    sum += part;
    if (parts()[p].stays()) staying += part;
    doubt += part * part * parts()[p].lasts(h);
  }
  doubt += kDoubt * kDoubt * staying * staying * h;
  return doubt > 0 ? std::max(1.0, span_ * sum / doubt * sum) : stretches(step);
}

// At half the way.
double ErrorLaw::independent(const Part& part) const {
  const double lasts = part.lasts(std::max(1.0, static_cast<double>(steps()) / 2));
  return std::max(kFewestKnown, span_ / lasts);
}

std::vector<double> ErrorLaw::standard_path(RandomStream& stream) const {
  std::vector<double> path(steps());
  const double doubtful = span_ / (kDoubt * kDoubt * static_cast<double>(steps()));
  const double wide = drawn_scale(std::max(kFewestKnown, doubtful), draw_normal(stream));
  for (std::size_t p = 0; p < kParts; ++p) {
    const Part& part = parts()[p];
    if (!(size_[p] > 0)) continue;
    double deviation = std::sqrt(size_[p]) * drawn_scale(independent(part), draw_normal(stream));
    if (part.stays()) deviation *= wide;
    const double fresh = part.shape == Shape::forgotten ? std::sqrt(1 - part.kept * part.kept) : 1;
    const bool once = part.shape == Shape::offset || part.shape == Shape::slope;
    double state = once ? draw_normal(stream) : 0;
    for (std::size_t h = 0; h < steps(); ++h) {
      if (!once) {
        const double kept = part.shape == Shape::walk ? 1 : part.kept;
        state = kept * state + fresh * draw_normal(stream);
      }
      path[h] += deviation * state * (part.shape == Shape::slope ? static_cast<double>(h + 1) : 1);
    }
  }
  for (std::size_t h = 0; h < steps(); ++h) {
    if (deviation_[h] > 0) path[h] /= deviation_[h];
  }
  return path;
}

}  // namespace plimsoll
