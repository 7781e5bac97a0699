#include "forecast/outlook/event_paths.h"

#include <algorithm>
#include <cmath>

#include "random/distributions.h"
#include "random/stream.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kSpread = 0.3;           // of the sizes of odd days, before any is known
constexpr std::size_t kLongestAgain = 2;  // steps: what lasts longer was somebody's decision

// Steps that an event of that age may still last.
double left_of(std::size_t age) { return static_cast<double>(kLongestStretch - age); }

}  // namespace

double chance_to_stay(std::size_t age) {
  return 1 / (1 + left_of(age) / static_cast<double>(kLongestStretch));
}

EventPaths::EventPaths(const Events& events, std::size_t values, const GrowthDoubt& growth,
                       std::vector<double> once)
    : once_(std::move(once)),
      values_(static_cast<double>(values)),
      growth_(growth),
      level_error_(events.level_error) {
  std::vector<double> sizes;
  for (const Event& odd : events.odd) {
    if (odd.log_size <= 0 || odd.steps > kLongestAgain) continue;
    sizes.insert(sizes.end(), odd.steps, odd.log_size);
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
  return !once_.empty() || age_ > 0 || level_error_ > 0 ||
         (growth_.per_step > 0 && growth_.from < static_cast<double>(horizon));
}

// On a path as many odd days a step as there were, but how many is known by few (a gamma variable),
// and how large by even fewer.
void EventPaths::add_to(std::vector<double>* logs, std::uint64_t seed, std::size_t path) const {
  RandomStream stream(seed, Purpose::forecast_event, path);
  if (odd_days_ > 0) {
    const double rate = draw_gamma(stream, odd_days_) / values_;
    for (double& log : *logs) {
      if (stream.uniform() < rate) log += std::max(0.0, mean_size_ + spread_ * draw_normal(stream));
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
    end = std::min(end, static_cast<std::size_t>(std::ceil(left_of(age_) * stream.uniform())));
  }
  const double off = level_error_ * draw_normal(stream);
  for (std::size_t h = 0; h < logs->size(); ++h) (*logs)[h] += h < end ? off : -young_;
}

}  // namespace plimsoll
