#include "forecast/history/counter_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/history/steps.h"

namespace plimsoll {
namespace {

std::string span_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < 2 * kMinute) return shortest(seconds) + " s";
  return seconds < 2 * kHour ? shortest(std::round(10 * seconds / kMinute) / 10) + " min"
                             : three_digits(seconds / kHour) + " h";
}

/// From one sample to the next, in steps, and what came meanwhile.
struct Stretch {
  double from = 0;
  double to = 0;
  double count = 0;
  bool is_restarted = false;  ///< `count` lacks what came before the restart

  double length() const { return to - from; }
  // The steps that it touches, and how much of each.
  std::size_t first() const { return static_cast<std::size_t>(from); }
  std::size_t end() const { return static_cast<std::size_t>(std::ceil(to)); }
  double part_of(std::size_t step) const {
    const auto begin = static_cast<double>(step);
    return std::fmin(to, begin + 1) - std::fmax(from, begin);
  }
  std::int64_t missing_samples() const { return std::max(std::llround(length()) - 1, 0LL); }
};

std::vector<Stretch> stretches_of(const CounterSeries& series, double first_s, double step_s,
                                  std::size_t steps) {
  const auto position = [&](const CounterSample& sample) {
    const double at = (sample.time_s - first_s) / step_s;
    return std::fabs(at - std::round(at)) < kOnBorder ? std::round(at) : at;
  };
  std::vector<Stretch> all;
  for (std::size_t k = 1; k < series.samples.size(); ++k) {
    const double before = series.samples[k - 1].value;
    const double now = series.samples[k].value;
    Stretch s;
    s.from = position(series.samples[k - 1]);
    s.to = position(series.samples[k]);
    // Two samples on one border: what came is of the step after it.
    if (s.to <= s.from) s.to = s.from + kOnBorder;
    s.is_restarted = now < before;
    const double length = s.length();
    // What is after the last whole step belongs to none.
    s.to = std::fmin(s.to, static_cast<double>(steps));
    if (s.from >= s.to) continue;
    s.count = (s.is_restarted ? now : now - before) * s.length() / length;
    all.push_back(s);
  }
  return all;
}

bool is_long(const Stretch& s, std::int64_t step_ns) {
  return s.missing_samples() * step_ns > kShortGapNs;
}

// Its counts in proportion to those of the weeks around, which are not fewer than came after a
// restart; empty where these are not known. `own`: counts of the series, NaN in long gaps.
std::vector<double> spread_as_weeks(const Stretch& s, const std::vector<double>& own,
                                    std::int64_t step_ns) {
  std::vector<double> counts;
  double sum = 0;
  for (std::size_t i = s.first(); i < s.end(); ++i) {
    counts.push_back(as_weeks_were(own, step_ns, i) * s.part_of(i));
    sum += counts.back();
  }
  if (std::isnan(sum) || sum <= 0) return {};
  const double count = s.is_restarted ? std::max(s.count, sum) : s.count;
  for (double& each : counts) each *= count / sum;
  return counts;
}

}  // namespace

std::vector<std::string> CounterBreaks::notes(double first_s, double step_s) const {
  const auto moment = [&](std::size_t step) {
    return iso_time(first_s + step_s * static_cast<double>(step));
  };
  std::vector<std::string> notes;
  if (repeated > 0) {
    notes.push_back(grouped(repeated) +
                    " series of instances that another server of Prometheus has, too: each counts "
                    "once");
  }
  if (late > 0) {
    notes.push_back(
        grouped(late) +
        " series begin later than the others (new or replaced instances), the last at " +
        iso_time(late_s) + ": what they had counted by then is not counted");
  }
  if (!restarts.empty()) {
    const std::string when = "after " + moment(*restarts.rbegin());
    notes.push_back("counters began again at 0 " +
                    (restarts.size() == 1
                         ? "once (a restart), " + when
                         : std::to_string(restarts.size()) + " times (restarts), last " + when) +
                    ": what came between the last sample and a restart is not counted");
  }
  if (gaps.empty()) return notes;
  using Gap = std::pair<const std::size_t, std::size_t>;
  const auto longest = std::ranges::max_element(gaps, {}, &Gap::second);
  const std::string as_weeks = "as it came at the same times a week before and after";
  notes.push_back(counted(std::ssize(gaps), "gap") + " between samples, " +
                  (gaps.size() == 1 ? "of " : "the longest of ") +
                  span_text(step_s * static_cast<double>(longest->second)) + " after " +
                  moment(longest->first) + ": what came meanwhile is spread " +
                  (!any_as_weeks ? "evenly over it"
                   : any_even    ? as_weeks + ", elsewhere evenly"
                                 : as_weeks));
  return notes;
}

double whole_step_s(double distance_s) {
  constexpr double kDay = 86'400;
  if (distance_s < 1) return distance_s;
  if (distance_s >= kDay) return kDay * std::round(distance_s / kDay);
  const std::int64_t near = std::llround(kDay / distance_s);
  // The next number of steps of a whole second, if there is one near by.
  for (std::int64_t by = 0; 20 * by < near; ++by) {
    for (const std::int64_t steps : {near - by, near + by}) {
      if (86'400 % steps == 0) return kDay / static_cast<double>(steps);
    }
  }
  return kDay / static_cast<double>(near);
}

std::size_t whole_steps(double seconds, double step_s) {
  return static_cast<std::size_t>(seconds / step_s + kOnBorder);
}

void add_counts(const CounterSeries& series, double first_s, double step_s,
                std::vector<double>* counts, CounterBreaks* breaks) {
  const std::int64_t step_ns = std::llround(step_s * 1e6) * 1000;
  const std::vector<Stretch> all = stretches_of(series, first_s, step_s, counts->size());
  std::vector<double> own(counts->size());
  for (const Stretch& s : all) {
    const double of_step =
        is_long(s, step_ns) ? std::numeric_limits<double>::quiet_NaN() : s.count / s.length();
    for (std::size_t i = s.first(); i < s.end(); ++i) own[i] += of_step * s.part_of(i);
  }
  for (const Stretch& s : all) {
    std::vector<double> as_weeks;
    if (is_long(s, step_ns)) as_weeks = spread_as_weeks(s, own, step_ns);
    const bool is_even = as_weeks.empty();
    if (s.is_restarted) breaks->restarts.insert(s.first());
    const auto missing = static_cast<std::size_t>(s.missing_samples());
    if (missing > 0 && s.count > 0) {
      breaks->gaps[s.first()] = std::max(breaks->gaps[s.first()], missing);
      (is_even ? breaks->any_even : breaks->any_as_weeks) = true;
    }
    for (std::size_t i = s.first(); i < s.end(); ++i)
      (*counts)[i] += is_even ? s.count * s.part_of(i) / s.length() : as_weeks[i - s.first()];
  }
}

}  // namespace plimsoll
