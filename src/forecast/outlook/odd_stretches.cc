#include "forecast/outlook/odd_stretches.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/bends.h"
#include "forecast/outlook/season.h"

namespace plimsoll {
namespace {

constexpr double kFarDay = 3;       // deviations of a day that is no part of a stretch
constexpr double kMostOdd = 0.25;   // share of the steps, of low ones as of high ones
constexpr double kNormal = 1.4826;  // standard deviation over median absolute deviation
constexpr double kQuiet = 0.01;     // least deviation

// The mean of each run of `steps` values.
std::vector<double> means_of(std::span<const double> values, std::size_t steps) {
  std::vector<double> means;
  double sum = 0;
  for (std::size_t t = 0; t < values.size(); ++t) {
    sum += values[t] - (t >= steps ? values[t - steps] : 0);
    if (t + 1 >= steps) means.push_back(sum / static_cast<double>(steps));
  }
  return means;
}

// What a step usually adds; 0 unless that is clear, and for a straight line of the values, whose
// logarithms have no one slope. Events and shifts are in few of the differences over a week.
double usual_slope(std::span<const double> values) {
  constexpr double kClear = 8;  // deviations of one difference over the root of their number
  const std::size_t apart = std::min<std::size_t>(kDaysOfWeek, values.size() / 2);
  std::vector<double> changes;
  for (std::size_t t = apart; t < values.size(); ++t)
    changes.push_back(values[t] - values[t - apart]);
  const double usual = median_in(changes, 0, changes.size());
  const double error = deviation_of(changes) / std::sqrt(static_cast<double>(changes.size()));
  return std::fabs(usual) < kClear * error || is_straight(values)
             ? 0
             : usual / static_cast<double>(apart);
}

class Stretches {
 public:
  Stretches(std::span<const double> rest, std::size_t season) : off_(rest.begin(), rest.end()) {
    const std::size_t whole = std::min(rest.size(), 2 * kReach + 1);
    const double slope = usual_slope(rest);
    for (std::size_t t = 0; t < off_.size(); ++t) {
      const std::size_t from = std::min(t - std::min(t, kReach), rest.size() - whole);
      // Near either end the median is that of days further in: growth since then is not odd.
      const double grown =
          slope * (static_cast<double>(t) - static_cast<double>(2 * from + whole - 1) / 2);
      off_[t] -= median_in(rest, from, from + whole) + grown;
    }
    const std::size_t longest = std::min(kReach, rest.size() / 5);
    // The median of few values, at a phase or in all, leaves less than there is.
    const double by_phase =
        1 + 2 * static_cast<double>(season > 1 ? season : 0) / static_cast<double>(rest.size());
    const double hidden = std::max(by_phase, few_values_widen(rest.size()));
    for (std::size_t steps = 1; steps <= longest; ++steps)
      usual_.push_back(hidden * deviation_of(means_of(off_, steps)));
    for (std::size_t t = 0; t < off_.size(); ++t) {
      const std::size_t from = t - std::min(t, 2 * kAround);
      const std::size_t to = std::min(off_.size(), t + 2 * kAround);
      const double local = deviation_of({off_.begin() + static_cast<std::ptrdiff_t>(from),
                                         off_.begin() + static_cast<std::ptrdiff_t>(to)});
      restless_.push_back(std::max(1.0, local / usual_.front()));
    }
  }

  // The one that explains most squares of those that are far off, and takes it out.
  std::optional<Event> take() {
    Event best;
    double most = 0;
    for (std::size_t steps = 1; steps <= usual_.size(); ++steps) {
      const std::vector<double> means = means_of(off_, steps);
      for (std::size_t t = 0; t < means.size(); ++t) {
        const double least = std::max(kLeastOdd, kFar * usual_[steps - 1] * restless_[t]);
        const double squares = means[t] * means[t] * static_cast<double>(steps);
        if (squares <= most || std::fabs(means[t]) < least) continue;
        if (steps > 2 && has_usual_day(t, steps, means[t])) continue;
        most = squares;
        best = {.at = t, .log_size = means[t], .steps = steps};
      }
    }
    if (most == 0) return std::nullopt;
    for (std::size_t t = best.at; t < best.at + best.steps; ++t) off_[t] -= best.log_size;
    return best;
  }

  // Several days at either end may belong to another level, and so may those of weeks.
  bool is_odd(const Event& stretch) const {
    if (stretch.steps == 1) return true;
    const bool within = stretch.at > 0 && stretch.at + stretch.steps < off_.size();
    return within && stretch.steps <= kLongestStretch && !goes_on(stretch);
  }

 private:
  // Two odd days with a usual one between them are no stretch.
  bool has_usual_day(std::size_t at, std::size_t steps, double mean) const {
    const auto days = std::span(off_).subspan(at, steps);
    return std::ranges::any_of(days, [&](double off) {
      return off / mean < 0.5 && std::fabs(off - mean) > kFarDay * usual_.front();
    });
  }

  // The days after it, up to the end, are still nearer to it than to what is usual.
  bool goes_on(const Event& stretch) const {
    const std::size_t end = stretch.at + stretch.steps;
    if (off_.size() - end >= kLongestStretch) return false;
    double sum = 0;
    for (std::size_t t = end; t < off_.size(); ++t) sum += off_[t];
    const double since = sum / static_cast<double>(off_.size() - end);
    return since / stretch.log_size > 0.5;
  }

  static constexpr std::size_t kReach = 21;

  std::vector<double> off_;       // the level
  std::vector<double> usual_;     // deviation of means by their steps, from 1
  std::vector<double> restless_;  // by step, times the usual deviation
};

}  // namespace

double median_in(std::span<const double> values, std::size_t from, std::size_t to) {
  std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(from),
                           values.begin() + static_cast<std::ptrdiff_t>(to));
  return middle_of(part);
}

double deviation_of(std::vector<double> values) {
  const double middle = median_in(values, 0, values.size());
  for (double& v : values) v = std::fabs(v - middle);
  return std::max(kQuiet, kNormal * middle_of(values));
}

double few_values_widen(std::size_t values) {
  return 1 + std::max(0.0, 0.5 - static_cast<double>(values) / static_cast<double>(4 * kAround));
}

std::optional<std::vector<Event>> find_odd(std::span<const double> rest, std::size_t season) {
  const double most = std::max(1.0, kMostOdd * static_cast<double>(rest.size()));
  Stretches stretches(rest, season);
  std::vector<Event> odd;
  std::size_t high = 0, low = 0;  // steps
  while (const auto stretch = stretches.take()) {
    (stretch->log_size > 0 ? high : low) += stretch->steps;
    if (static_cast<double>(std::max(high, low)) > most) return std::nullopt;
    if (stretches.is_odd(*stretch)) odd.push_back(*stretch);
  }
  std::ranges::sort(odd, {}, &Event::at);
  return odd;
}

std::vector<double> running_median(std::span<const double> values, std::size_t reach) {
  std::vector<double> medians;
  for (std::size_t t = 0; t < values.size(); ++t) {
    const std::size_t from = t - std::min(t, reach);
    medians.push_back(median_in(values, from, std::min(values.size(), t + reach + 1)));
  }
  return medians;
}

}  // namespace plimsoll
