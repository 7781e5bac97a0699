#include "forecast/history/counter_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/history/gaps.h"

namespace plimsoll {
namespace {

std::string span_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < 2 * kMinute) return shortest(seconds) + " s";
  return seconds < 2 * kHour ? shortest(std::round(10 * seconds / kMinute) / 10) + " min"
                             : three_digits(seconds / kHour) + " h";
}

/// The steps between two samples, and what came in them.
struct Stretch {
  std::size_t from = 0;
  std::size_t to = 0;  ///< exclusive
  double count = 0;
  bool is_restarted = false;  ///< `count` lacks what came before the restart
};

std::vector<Stretch> stretches_of(const CounterSeries& series, double first_s, double step_s,
                                  std::size_t steps) {
  const auto index = [&](const CounterSample& sample) {
    return static_cast<std::size_t>(std::llround((sample.time_s - first_s) / step_s));
  };
  std::vector<Stretch> all;
  for (std::size_t k = 1; k < series.samples.size(); ++k) {
    const double before = series.samples[k - 1].value;
    const double now = series.samples[k].value;
    Stretch s;
    s.from = index(series.samples[k - 1]);
    s.to = std::max(s.from + 1, index(series.samples[k]));
    s.is_restarted = now < before;
    // A sample that is off its step may end beyond the last one.
    const double within = static_cast<double>(std::min(s.to, steps) - std::min(s.from, steps));
    s.count = (s.is_restarted ? now : now - before) * within / static_cast<double>(s.to - s.from);
    s.to = std::min(s.to, steps);
    if (s.from < s.to) all.push_back(s);
  }
  return all;
}

bool is_long(const Stretch& s, std::int64_t step_ns) {
  return static_cast<std::int64_t>(s.to - s.from - 1) * step_ns > kShortGapNs;
}

// Its counts in proportion to those of the weeks around, which are not fewer than came after a
// restart; empty where these are not known. `own`: counts of the series, NaN in long gaps.
std::vector<double> spread_as_weeks(const Stretch& s, const std::vector<double>& own,
                                    std::int64_t step_ns) {
  std::vector<double> counts;
  double sum = 0;
  for (std::size_t i = s.from; i < s.to; ++i) {
    counts.push_back(as_weeks_were(own, step_ns, i));
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

void add_counts(const CounterSeries& series, double first_s, double step_s,
                std::vector<double>* counts, CounterBreaks* breaks) {
  const std::int64_t step_ns = std::llround(step_s * 1e6) * 1000;
  const std::vector<Stretch> all = stretches_of(series, first_s, step_s, counts->size());
  std::vector<double> own(counts->size());
  for (const Stretch& s : all) {
    const double each = is_long(s, step_ns) ? std::numeric_limits<double>::quiet_NaN()
                                            : s.count / static_cast<double>(s.to - s.from);
    for (std::size_t i = s.from; i < s.to; ++i) own[i] += each;
  }
  for (const Stretch& s : all) {
    std::vector<double> as_weeks;
    if (is_long(s, step_ns)) as_weeks = spread_as_weeks(s, own, step_ns);
    const bool is_even = as_weeks.empty();
    if (s.is_restarted) breaks->restarts.insert(s.from);
    if (s.to - s.from > 1) {
      breaks->gaps[s.from] = std::max(breaks->gaps[s.from], s.to - s.from - 1);
      (is_even ? breaks->any_even : breaks->any_as_weeks) = true;
    }
    for (std::size_t i = s.from; i < s.to; ++i)
      (*counts)[i] += is_even ? s.count / static_cast<double>(s.to - s.from) : as_weeks[i - s.from];
  }
}

}  // namespace plimsoll
