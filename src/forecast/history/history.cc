#include "forecast/history/history.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

tl::unexpected<Error> no_whole_step(const std::string& of) {
  return fail(ErrorKind::usage, "the history does not fill one " + of, "take a shorter " + of);
}

// By the clock of the file, so that a day is a day of the calendar.
std::size_t steps_before_midnight(const History& history, double window_s) {
  if (!history.dated || std::fmod(window_s, kDayS) != 0) return 0;
  const double of_day = std::fmod(history.start_s + history.zone_s, kDayS);
  return of_day == 0 ? 0 : static_cast<std::size_t>(std::ceil((kDayS - of_day) / history.step_s));
}

}  // namespace

const HistorySeries* History::find(std::string_view name, std::string_view route) const {
  const auto found = std::find_if(series.begin(), series.end(), [&](const HistorySeries& s) {
    return s.name == name && s.route == route;
  });
  return found == series.end() ? nullptr : &*found;
}

Result<History> history_of(RequestSource& source, Duration step) {
  if (step.ns <= 0) return fail(ErrorKind::usage, "the step of a history must be positive");
  History history;
  history.step_s = to_seconds(step);
  history.series = {
      {"requests_per_s", {}, {}}, {"prompt_tokens_per_s", {}, {}}, {"output_tokens_per_s", {}, {}}};
  Time last;
  for (Request request; source.next(&request);) {
    last = request.arrival;
    const auto cell = static_cast<std::size_t>(std::max<std::int64_t>(0, last.ns / step.ns));
    if (static_cast<double>(cell) >= kMostHistorySteps) {
      return fail(ErrorKind::usage, "the traffic lasts more than a million steps",
                  "take a longer step");
    }
    const double amounts[] = {1, static_cast<double>(request.input_tokens),
                              static_cast<double>(request.output_tokens)};
    for (std::size_t i = 0; i < history.series.size(); ++i) {
      std::vector<double>& values = history.series[i].values;
      if (values.size() <= cell) values.resize(cell + 1);
      values[cell] += amounts[i] / history.step_s;
    }
  }
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(0, last.ns / step.ns));
  if (whole == 0) return no_whole_step("step");
  for (HistorySeries& series : history.series) series.values.resize(whole);
  return history;
}

Result<History> peaks_of(const History& history, double window_s, double p) {
  const double steps = std::round(window_s / history.step_s);
  if (!(steps >= 1 && std::fabs(steps * history.step_s - window_s) <= 1e-6 * window_s)) {
    return fail(ErrorKind::usage, "a window of " + shortest(window_s) +
                                      " s is no multiple of the step of " +
                                      shortest(history.step_s) + " s");
  }
  const std::size_t before = steps_before_midnight(history, window_s);
  if (steps > static_cast<double>(history.size()) - static_cast<double>(before)) {
    return no_whole_step("window");
  }
  const auto width = static_cast<std::ptrdiff_t>(steps);
  History peaks = history;
  peaks.start_s += history.step_s * static_cast<double>(before);
  peaks.step_s = window_s;
  for (HistorySeries& series : peaks.series) {
    const std::vector<double> values = std::move(series.values);
    series.values.clear();
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(before);
    for (auto at = first; values.end() - at >= width; at += width) {
      series.values.push_back(Percentiles<double>({at, at + width}).at(p));
    }
  }
  return peaks;
}

}  // namespace plimsoll
