#include "forecast/outlook/ways.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "forecast/outlook/bends.h"
#include "forecast/outlook/error_law.h"
#include "forecast/outlook/season.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "random/stream.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

/// Values that came, drawn again (a smoothed bootstrap: Efron 1979; Silverman 1986, 3.4.2 for the
/// width). For demand that pauses often, whose logarithms lie in two heaps, between which no band
/// around a level is right; and for few values, of whose shape nothing else is known. Where all
/// values that are no pause are equal, so are those to come.
///
/// Few values say only roughly how high they are, how often they pause and how far they spread: so
/// each path has a sample of them, drawn with replacement, and a spread of its own (chi-square, as
/// in Student's t).
class Resampling {
 public:
  /// `usual`: on the present level, in units of demand. A step is like those of its phase of the
  /// season, 1 = none. Clear growth lifts what came long ago to the present; it goes on where
  /// `grows`. Within few `cycles` of so many steps none is clear: the hours of a day rise and fall.
  Resampling(std::span<const double> usual, std::size_t season, std::size_t cycle, bool grows);

  std::vector<double> path(std::size_t horizon, std::uint64_t seed, std::size_t number) const;

 private:
  std::span<const double> usual_;
  std::size_t season_;
  bool grows_;
  std::vector<double> middle_;  // of the logarithms of each phase, but for growth
  double width_ = 0;            // of a logarithm around one that came
  double growth_ = 0;           // of the logarithm per step; 0 where it is not clear
  double freedom_ = 1;          // degrees by which it is known how far values lie off the middle
};

constexpr double kClearGrowth = 3;  // standard errors of growth
constexpr double kSmoothing = 0.9;  // times the deviation, of one value

// Least squares of the values that are no pause, at their steps. Few cycles show none: a day that
// lies off the others is no growth from hour to hour.
double clear_growth(std::span<const double> steps, std::span<const double> logs,
                    std::size_t cycle) {
  constexpr std::size_t kFewestCycles = 8;
  if (steps.size() < kFewestCycles * cycle) return 0;
  const auto n = static_cast<double>(steps.size());
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

Resampling::Resampling(std::span<const double> usual, std::size_t season, std::size_t cycle,
                       bool grows)
    : usual_(usual), season_(season), grows_(grows), middle_(season) {
  std::vector<double> steps, logs;
  for (std::size_t t = 0; t < usual.size(); ++t) {
    if (!(usual[t] > 0)) continue;
    steps.push_back(static_cast<double>(t));
    logs.push_back(portable_log(usual[t]));
  }
  if (logs.empty()) return;
  growth_ = clear_growth(steps, logs, cycle);
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
  if (season > 1 && steps.size() < kFewestSeasons * season) {
    width_ = roughness_of(logs);
    freedom_ = std::max(ErrorLaw::kFewestKnown, n - 2);
  }
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

void set_bands(const Way& way, const LogScale& scale, Outlook* outlook) {
  const Expected& expected = way.ahead.expected;
  for (std::size_t h = 0; h < expected.logs.size(); ++h) {
    outlook->point.push_back(scale.value_of(expected.at(h, 0.5)));
    BandQuantiles& band = outlook->bands.emplace_back();
    for (std::size_t i = 0; i < kBandPercents.size(); ++i) {
      const double p = kBandPercents[i] / 100.0;
      const double share = expected.more[h] > 0 ? p : 1 - p;
      band[i] = scale.value_of(expected.at(h, share) +
                               way.ahead.error_of(way.ahead.bands.quantile(h, p)));
    }
  }
}

constexpr double kSpread = 0.3;           // of the sizes of odd days, before any is known
constexpr std::size_t kLongestAgain = 2;  // days: what lasts longer was somebody's decision
constexpr double kFewestSeen = 56;        // days: fewer do not say that odd days are more frequent

// Days that an event of that age may still last.
double left_of(std::size_t age) { return static_cast<double>(kLongestStretch - age); }

}  // namespace

void Expected::multiply(const KnownDemand& known) {
  if (known.log_factor.empty()) return;
  const auto ahead = std::span(known.log_factor).last(logs.size());
  for (std::size_t h = 0; h < logs.size(); ++h) logs[h] += ahead[h];
}

std::size_t paths_of(std::size_t horizon, const OutlookOptions& options) {
  constexpr std::size_t kMostValues = 10'000'000;
  return std::min(options.paths, std::max<std::size_t>(100, kMostValues / horizon));
}

void set_bands_of_paths(Outlook* outlook) {
  outlook->bands.resize(outlook->horizon());
  for (std::size_t h = 0; h < outlook->horizon(); ++h) outlook->bands[h] = outlook->peak(h, h + 1);
}

void draw_again(const EventPaths* events, const OutlookOptions& options, Outlook* outlook) {
  const std::size_t cycle = std::max(outlook->season, steps_of_day(outlook->step_s));
  const Resampling values(outlook->usual, outlook->season, cycle, events == nullptr);
  const std::size_t horizon = outlook->point.size();
  const std::vector<double> known = options.known.ahead_of_now(horizon);
  for (std::size_t k = 0; k < paths_of(horizon, options); ++k) {
    std::vector<double> more = known;
    if (events != nullptr) events->add_to(&more, options.seed, k);
    std::vector<double>& path = outlook->paths.emplace_back(values.path(horizon, options.seed, k));
    for (std::size_t h = 0; h < horizon; ++h) path[h] *= portable_exp(more[h]);
  }
  set_bands_of_paths(outlook);
}

void draw_paths(const std::vector<Way>& ways, double chance, const LogScale& scale,
                const OutlookOptions& options, Outlook* outlook) {
  set_bands(ways.front(), scale, outlook);
  const std::size_t horizon = outlook->point.size();
  // Without the events of a way: those that came are among the values drawn.
  if (scale.pauses_often()) return draw_again(nullptr, options, outlook);
  for (std::size_t k = 0; k < paths_of(horizon, options); ++k) {
    RandomStream stream(options.seed, Purpose::forecast_path, k);
    const double way_share = ways.size() > 1 ? stream.uniform() : 0;
    const Way& way = way_share < chance ? ways.front() : ways.back();
    std::vector<double> path = way.ahead.bands.path(stream);
    const double share = stream.uniform();
    for (std::size_t h = 0; h < horizon; ++h)
      path[h] = way.ahead.expected.at(h, share) + way.ahead.error_of(path[h]);
    way.events.add_to(&path, options.seed, k);
    for (double& log : path) log = scale.value_of(log);
    outlook->paths.push_back(std::move(path));
  }
  if (ways.size() == 1 && !ways.front().events.differ(horizon)) return;
  set_bands_of_paths(outlook);
}

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
