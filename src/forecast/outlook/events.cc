#include "forecast/outlook/events.h"

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "forecast/outlook/season.h"

namespace plimsoll {
namespace {

/// A step of the level beside a slope, by least squares.
struct FittedStep {
  double size = 0;
  double squares = 0;  ///< that are left
  double error = 0;    ///< standard error of the size
};

// Fits a step at `at` in the values [from, to), of which there are more than three.
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

constexpr std::size_t kFewestKnown = 6;      // values: an odd one and five others
constexpr std::size_t kFewDifferences = 21;  // values: of fewer, one shift moves most differences
constexpr std::size_t kWeek = 7;             // steps that a level is known by
constexpr std::size_t kFewestOld = 4;        // steps before a shift
constexpr std::size_t kFewestNew = 2;        // steps since a shift
constexpr std::size_t kFewestYoung = 3;      // steps by which a small shift is known
constexpr std::size_t kMostShifts = 3;
constexpr double kLeastShift = 0.14;  // 15 %
constexpr double kFarStep = 3;        // standard errors of a step beside a slope
constexpr double kFarClearStep = 5;   // likewise, where the difference is not quite as large
constexpr double kNearlyFar = 0.75;   // of kFar: a shift is among the differences it is told from
constexpr double kFarYoung = 4;  // since days ago: a level that may end costs little if it is none

// The median of each phase around the level that it has then, around zero.
std::vector<double> pattern_of(std::span<const double> logs, std::size_t season) {
  if (season == 1) return {0};
  const std::vector<double> level = running_median(logs, season);
  std::vector<double> pattern;
  for (std::size_t phase = 0; phase < season; ++phase) {
    std::vector<double> off;
    for (std::size_t t = phase; t < logs.size(); t += season) off.push_back(logs[t] - level[t]);
    pattern.push_back(middle_of(off));
  }
  return pattern;
}

std::vector<double> without_pattern(std::span<const double> logs, std::size_t season) {
  const std::vector<double> pattern = pattern_of(logs, season);
  std::vector<double> rest(logs.begin(), logs.end());
  for (std::size_t t = 0; t < rest.size(); ++t) rest[t] -= pattern[t % pattern.size()];
  return rest;
}

// How far the medians of two weeks usually lie apart, by how far a day does from the next: that a
// shift and an odd day do not move.
double deviation_by_days(std::span<const double> rest) {
  constexpr double kOfMedian = 1.2533;  // times the error of a mean
  constexpr double kLasting = 1.2;      // what lasts from day to day does not show between them
  std::vector<double> changes;
  for (std::size_t t = 1; t < rest.size(); ++t) changes.push_back(rest[t] - rest[t - 1]);
  const double deviation = few_values_widen(rest.size()) * kLasting * deviation_of(changes);
  return kOfMedian * deviation / std::sqrt(static_cast<double>(kWeek));
}

// Differences between the medians of a week before and after each moment; at the end, of the days
// that there are.
class Differences {
 public:
  explicit Differences(std::span<const double> rest) : rest_(rest) {
    const bool are_few = rest.size() < kFewDifferences;
    first_ = are_few ? kFewestOld : kWeek;
    for (std::size_t t = first_; t + kFewestNew <= rest.size(); ++t) {
      const std::size_t to = std::min(rest.size(), t + kWeek);
      all_.push_back(median_in(rest, t, to) - median_in(rest, t - std::min(t, kWeek), t));
    }
    if (are_few) {
      deviation_ = deviation_by_days(rest);
      return;
    }
    usual_ = median_in(all_, 0, all_.size());
    deviation_ = deviation_of(all_);
  }

  // By how much the level is another one from a moment on, but for its usual growth.
  double size_at(std::size_t at) const {
    const std::size_t since = std::min(rest_.size(), at + 3 * kWeek);
    const std::size_t before = at - std::min(at, 3 * kWeek);
    const double apart = static_cast<double>(since - before) / 2;
    return median_in(rest_, at, since) - median_in(rest_, before, at) -
           usual_ / static_cast<double>(kWeek) * apart;
  }

  // The largest one that is far off the others; none if there is none.
  std::optional<Event> find() const {
    std::size_t largest = 0;
    double furthest = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const double size = std::fabs(all_[i] - usual_);
      const double times = size / least_at(i + first_);
      if (times <= furthest) continue;
      furthest = times;
      largest = i;
    }
    if (furthest < kNearlyFar) return std::nullopt;
    const bool is_clear = furthest >= 1;
    const double errors = is_clear ? kFarStep : kFarClearStep;
    return stepped(largest + first_, all_[largest] - usual_, errors);
  }

 private:
  // What a shift has to be at least: more where few days are known since.
  double least_at(std::size_t at) const {
    const auto before = static_cast<double>(std::min(kWeek, at));
    const auto since = static_cast<double>(std::min(kWeek, rest_.size() - at));
    const double least = since < kFewestYoung ? kLeastOdd : kLeastShift;
    const double wider = std::sqrt(static_cast<double>(kWeek) * (1 / before + 1 / since) / 2);
    return std::max(least,
                    (rest_.size() - at < kLongestStretch ? kFarYoung : kFar) * deviation_ * wider);
  }

  // Where a step fits best, if it explains most of the difference.
  std::optional<Event> stepped(std::size_t near, double size, double errors) const {
    const std::size_t from = near - std::min(near, kAround);
    const std::size_t to = std::min(rest_.size(), near + kAround);
    std::optional<FittedStep> best;
    Event event;
    const std::size_t last = std::min(near + 4, to - kFewestNew);
    for (std::size_t at = std::max(from + 3, near - std::min<std::size_t>(near, 4)); at <= last;
         ++at) {
      const FittedStep step = fit_step(rest_, from, at, to);
      if (best && step.squares >= best->squares) continue;
      best = step;
      event.at = at;
    }
    if (!best || best->size * size < 0.5 * size * size ||
        std::fabs(best->size) < errors * best->error) {
      return std::nullopt;
    }
    event.log_size = size_at(event.at);
    return event;
  }

  std::span<const double> rest_;
  std::size_t first_ = kWeek;
  std::vector<double> all_;  // by moment, from the first one on
  double usual_ = 0;
  double deviation_ = 0;
};

// Up to the new level.
void undo(const Event& shift, std::vector<double>* logs) {
  const Ramp ramp{shift.at, shift.steps, shift.log_size};
  for (std::size_t t = 0; t + 1 < shift.at + shift.steps; ++t)
    (*logs)[t] += shift.log_size - reached(ramp, t);
}

// Those that are declared, each of the size that the values show.
std::vector<Event> declared_shifts(std::vector<double> rest, std::span<const std::size_t> known) {
  std::vector<Event> shifts;
  for (const std::size_t at : known) {
    if (at == 0 || at >= rest.size()) continue;
    shifts.push_back({.at = at, .log_size = Differences(rest).size_at(at), .is_declared = true});
    undo(shifts.back(), &rest);
  }
  return shifts;
}

// The clearest one that took days, else one from one day to the next.
std::optional<Event> next_shift(std::span<const double> rest) {
  if (const auto ramp = find_ramp(rest))
    return Event{.at = ramp->at, .log_size = ramp->log_size, .steps = ramp->steps};
  return Differences(rest).find();
}

bool lies_within_a_ramp(const Event& step, const std::vector<Event>& shifts) {
  return step.steps <= 1 && std::ranges::any_of(shifts, [&](const Event& ramp) {
           return ramp.steps > 1 && ramp.at <= step.at && step.at < ramp.at + ramp.steps;
         });
}

// `rest`: after the certain ones are undone. Steps that follow each other within days look like a
// ramp, until what is left has one of them: then there was none.
std::vector<Event> find_shifts(std::vector<double> rest, const std::vector<Event>& certain,
                               bool may_be_ramps = true) {
  const std::vector<double> whole = rest;
  std::vector<Event> shifts = certain;
  while (const auto shift = may_be_ramps ? next_shift(rest) : Differences(rest).find()) {
    const bool is_one_more = shifts.size() == certain.size() + kMostShifts;
    if (may_be_ramps && (is_one_more || lies_within_a_ramp(*shift, shifts)))
      return find_shifts(whole, certain, false);
    if (is_one_more) return certain;
    shifts.push_back(*shift);
    undo(*shift, &rest);
  }
  std::ranges::sort(shifts, {}, &Event::at);
  return shifts;
}

// The standard error of the median of the last values, by how the others lie around theirs and how
// long they stay there.
double error_of_level(std::vector<double> rest, std::size_t last) {
  const std::vector<double> level = running_median(rest, kWeek);
  for (std::size_t t = 0; t < rest.size(); ++t) rest[t] -= level[t];
  constexpr double kOfMedian = 1.2533;  // times the error of a mean
  const double lasting = lasting_of(rest);
  return kOfMedian * deviation_of(std::move(rest)) * std::sqrt(lasting / static_cast<double>(last));
}

void take_out(const std::vector<Event>& odd, std::vector<double>* logs) {
  for (const Event& stretch : odd) {
    for (std::size_t t = stretch.at; t < stretch.at + stretch.steps; ++t)
      (*logs)[t] -= stretch.log_size;
  }
}

}  // namespace

Events find_events(std::span<const double> logs, std::size_t season,
                   std::span<const std::size_t> known) {
  Events events;
  if (logs.size() < kFewestKnown) return events;
  // What is declared is no odd stretch.
  std::vector<double> rest = without_pattern(logs, season);
  const std::vector<Event> certain = declared_shifts(rest, known);
  for (const Event& shift : certain) undo(shift, &rest);
  // A stretch is two shifts, and a shift hides stretches.
  take_out(find_odd(rest, season).value_or(std::vector<Event>{}), &rest);
  events.shifts = is_straight(rest) ? certain : find_shifts(rest, certain);
  std::vector<double> level(logs.begin(), logs.end());
  for (const Event& shift : events.shifts) undo(shift, &level);
  rest = without_pattern(level, season);
  const auto odd = find_odd(rest, season);
  events.odd_is_usual = !odd;
  if (odd) events.odd = *odd;
  take_out(events.odd, &rest);
  events.bends = find_bends(rest);
  // The size of a shift is not known well enough to see a bend beside it, nor what the growth was
  // between the two.
  for (const Event& shift : events.shifts) {
    std::erase_if(events.bends, [&](const Bend& bend) {
      return bend.at < shift.at + shift.steps - 1 + 2 * kAround && shift.at < bend.at + kAround;
    });
  }
  if (events.shifts.empty()) return events;
  const std::size_t last = events.shifts.back().at;
  const bool is_young = last + kLongestStretch > logs.size();
  if (!is_young) return events;
  const std::size_t age = logs.size() - last;
  events.level_error = error_of_level(without_pattern(level, season), age);
  if (events.shifts.back().is_declared) return events;
  events.bends.clear();  // beside a level that may end, growth is anybody's guess
  events.undecided = age;
  return events;
}

std::vector<double> without_events(std::span<const double> logs, const Events& events) {
  std::vector<double> level(logs.begin(), logs.end());
  for (const Event& shift : events.shifts) undo(shift, &level);
  take_out(events.odd, &level);
  for (const Bend& bend : events.bends) {
    if (bend.chance >= 0.5) straighten(bend, &level);
  }
  return level;
}

void find_weeks_of_odd_days(std::size_t values, Events* events) {
  const std::size_t week = kDaysOfWeek * events->day;
  if (values >= kFewestSeasons * week) return;
  const auto is_odd = [&](std::size_t step, bool is_high) {
    return std::ranges::any_of(events->odd, [&](const Event& odd) {
      return odd.at <= step && step < odd.at + odd.steps && (odd.log_size > 0) == is_high;
    });
  };
  for (Event& odd : events->odd) {
    std::size_t weeks = 0;
    bool is_always = true;
    for (std::size_t t = odd.at % week; t < values; t += week, ++weeks)
      is_always = is_always && is_odd(t, odd.log_size > 0);
    odd.weeks = is_always ? weeks : 0;
  }
}

Events events_of_days(std::span<const double> logs, std::size_t day,
                      std::span<const std::size_t> known) {
  constexpr std::size_t kFewestDays = kDaysOfWeek - 1;
  const std::vector<double> days = means_of_days(logs, day);
  if (days.size() < kFewestDays || logs.size() >= kFewestSeasons * kDaysOfWeek * day) return {};
  Events events =
      find_events(days, 1, mapped(known, [&](std::size_t at) { return (at + day / 2) / day; }));
  events.day = day;
  for (Event& shift : events.shifts) shift.at *= day;
  for (Event& odd : events.odd) {
    odd.at *= day;
    odd.steps = std::min(odd.steps * day, logs.size() - odd.at);
  }
  find_weeks_of_odd_days(logs.size(), &events);
  return events;
}

}  // namespace plimsoll
