#include "forecast/outlook/event_paths.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/season.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "random/stream.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kSpread = 0.3;           // of the sizes of odd days, before any is known
constexpr std::size_t kLongestAgain = 2;  // days: what lasts longer was somebody's decision
constexpr double kFewestSeen = 56;        // days: fewer do not say that odd days are more frequent

// Days that an event of that age may still last.
double left_of(std::size_t age) { return static_cast<double>(kLongestStretch - age); }

}  // namespace

double chance_to_stay(std::size_t age) {
  return 1 / (1 + left_of(age) / static_cast<double>(kLongestStretch));
}

double chance_of_every_week(std::size_t weeks) {
  return 1 / (1 + portable_pow(static_cast<double>(kDaysOfWeek), 1 - static_cast<double>(weeks)));
}

EventPaths::EventPaths(const Events& events, std::size_t values, const GrowthDoubt& growth,
                       std::vector<double> once)
    : day_(events.day),
      once_(std::move(once)),
      values_(values),
      growth_(growth),
      level_error_(events.level_error) {
  std::vector<double> sizes;
  for (const Event& odd : events.odd) {
    if (odd.weeks > 0) {
      if (odd.at + kDaysOfWeek * day_ >= values_) every_week_.push_back(odd);
      continue;
    }
    if (odd.log_size <= 0 || odd.steps > kLongestAgain * day_) continue;
    sizes.insert(sizes.end(), odd.steps / day_, odd.log_size);
  }
  find_sizes(sizes);
  if (!events.undecided) return;
  young_ = events.shifts.back().log_size;
  age_ = *events.undecided;
}

// The next one of a normal variable whose mean and variance the sizes tell, where the variance is
// worth one more of them before any is known (Gelman et al. 2013, Bayesian Data Analysis, 3.3).
void EventPaths::find_sizes(std::span<const double> sizes) {
  odd_days_ = static_cast<double>(sizes.size());
  if (sizes.empty()) return;
  mean_size_ = mean_of(sizes);
  double squares = kSpread * kSpread;
  for (const double size : sizes) squares += (size - mean_size_) * (size - mean_size_);
  spread_ = std::sqrt(squares / odd_days_ * (1 + 1 / odd_days_));
}

bool EventPaths::differ(std::size_t horizon) const {
  return !once_.empty() || !every_week_.empty() || age_ > 0 || level_error_ > 0 ||
         (growth_.per_step > 0 && growth_.from < static_cast<double>(horizon));
}

bool EventPaths::is_again(const Event& odd, std::size_t step) const {
  return (step - odd.at) % (kDaysOfWeek * day_) < odd.steps;
}

// On a path as many odd days a day as there were, but how many is known by few (a gamma variable),
// and how large by even fewer.
void EventPaths::add_to(std::vector<double>* logs, std::uint64_t seed, std::size_t path) const {
  RandomStream stream(seed, Purpose::forecast_event, path);
  if (odd_days_ > 0) {
    const double days = static_cast<double>(values_) / static_cast<double>(day_);
    const double rate = draw_gamma(stream, odd_days_) / std::max(days, kFewestSeen);
    for (std::size_t from = 0; from < logs->size(); from += day_) {
      if (stream.uniform() >= rate) continue;
      const double size = std::max(0.0, mean_size_ + spread_ * draw_normal(stream));
      const std::size_t to = std::min(logs->size(), from + day_);
      for (std::size_t h = from; h < to; ++h) (*logs)[h] += size;
    }
  }
  if (!every_week_.empty()) {
    const double share = stream.uniform();
    for (const Event& odd : every_week_) {
      if (share >= chance_of_every_week(odd.weeks)) continue;
      for (std::size_t h = 0; h < logs->size(); ++h)
        (*logs)[h] += is_again(odd, values_ + h) ? odd.log_size : 0;
    }
  }
  if (growth_.per_step > 0) {
    const double faster = growth_.per_step * draw_normal(stream);
    for (std::size_t h = 0; h < logs->size(); ++h)
      (*logs)[h] += faster * std::max(0.0, static_cast<double>(h + 1) - growth_.from);
  }
  if (!once_.empty() && stream.uniform() < 0.5) {
    for (std::size_t h = 0; h < logs->size(); ++h) (*logs)[h] += once_[h];
  }
  if (age_ == 0 && level_error_ == 0) return;
  std::size_t end = logs->size();
  if (age_ > 0 && stream.uniform() >= chance_to_stay(age_)) {
    const double left = std::ceil(left_of(age_) * stream.uniform());
    end = std::min(end, day_ * static_cast<std::size_t>(left));
  }
  const double off = level_error_ * draw_normal(stream);
  for (std::size_t h = 0; h < logs->size(); ++h) (*logs)[h] += h < end ? off : -young_;
}

}  // namespace plimsoll
